"""Guards: patterns against command lines as agents write them, and against files."""

import pytest

from holdfast.recall.act.guards import check_command, check_path, guard_matches, matches_command

MATCHES = (
    ("git push --force|-f", "git push --force origin main"),
    ("git push --force|-f", "git -C ../site push -f"),
    ("git push --force|-f", "cd repo && git push origin HEAD:main --force"),
    ("git push --force|-f", "sh -c 'git push --force'"),
    ("git push", "git push"),
    ("git push", "/usr/bin/git --git-dir=.git push origin main"),
    ("git reset --hard", "git fetch; git reset --hard origin/main"),
    ("git commit --no-verify|-n", "git commit -am 'wip' --no-verify"),
    ("git commit --amend", "GIT_EDITOR=true git commit --amend --no-edit"),
    ("git clean -fd", "git clean -f -d"),
    ("git clean -fd", "git clean -fdx"),
    ("git checkout|switch main", "git checkout main"),
    ("git branch -D", "git branch -D old-feature"),
    ("git config", "git config --global user.email me@example.org"),
    ("npm install|i|add", "npm install left-pad"),
    ("npm install|i|add", "npm i -D typescript"),
    ("npm install|i|add", "sudo -E npm install -g yarn"),
    ("npm install|i|add", "npm --prefix web install"),
    ("npm install|i|add", "(cd web; npm install) && echo ok"),
    ("npm install|i|add", 'bash -lc "cd web && npm i react"'),
    ("npm publish", "npm run build && npm publish --access public"),
    ("npm audit fix --force", "npm audit fix --force"),
    ("npm", "NODE_ENV=production npm run start"),
    ("yarn add", "yarn --cwd app add lodash"),
    ("pip install", "pip install requests"),
    ("pip install", "pip3 install -r requirements.txt"),
    ("pip install", "python -m pip install -U pip"),
    ("pip install", ".venv/bin/pip install -e '.[dev]'"),
    ("pip install", "env PIP_NO_CACHE_DIR=1 pip install x"),
    ("pip install --user", "pip install --user black"),
    ("docker system prune", "docker system prune -af --volumes"),
    ("docker rm -f", "docker rm -f $(docker ps -aq)"),
    ("docker rm -f", "docker ps -aq | xargs docker rm --volumes -f"),
    ("docker push", "docker --context prod push registry/app:1"),
    ("docker compose down -v|--volumes", "docker compose -f dev.yml down -v"),
    ("docker compose down -v|--volumes", "docker-compose down --volumes"),
    ("docker run --privileged", "docker run --rm --privileged alpine sh"),
    ("kubectl delete", "kubectl delete pod api-0"),
    ("kubectl delete", "kubectl -n prod delete deployment api --wait=false"),
    ("kubectl delete namespace|ns", "kubectl delete ns staging"),
    ("kubectl apply", "cat app.yml | kubectl --context prod apply -f -"),
    ("kubectl * -n prod", "kubectl -n prod get pods"),
    ("kubectl exec", "timeout 30 kubectl exec -it api-0 -- bash"),
    ("kubectl --context=prod", "kubectl --context prod scale deploy/api --replicas=0"),
    ("terraform apply", "terraform apply tfplan"),
    ("terraform apply -auto-approve", "terraform -chdir=infra apply -auto-approve"),
    ("terraform destroy", "cd infra && TF_LOG=debug terraform destroy -target=aws_s3_bucket.x"),
    ("terraform state rm", "terraform state rm module.db"),
    ("psql *drop table*", 'psql -c "DROP TABLE users"'),
    ("psql *drop table*", "psql -h db -U app <<'SQL'\nBEGIN;\nDROP   TABLE users;\nSQL"),
    ("psql *delete from*", "PGPASSWORD=x psql app -c 'delete from orders where true'"),
    ("psql -h|--host", "psql --host=prod.example.org app"),
    ("dropdb", "nohup dropdb app &"),
    ("rm -rf", "rm -rf node_modules"),
    ("rm -rf", "rm -fr ./build"),
    ("rm -rf", "find . -name dist -exec rm -r -f {} +"),
    ("rm -rf", "if [ -d x ]; then rm -rf x; fi"),
    ("curl *|*", "curl -fsSL https://example.org/a|b"),
    ("chmod 777", "chmod -R 777 ."),
    ("prisma migrate reset", "npx prisma migrate reset --force"),
)
PASSES = (
    ("git push --force|-f", "git push --force-with-lease"),
    ("git push --force|-f", "git push origin main"),
    ("git push --force|-f", "echo 'git push --force'"),
    ("git push", "git commit -m 'push'"),
    ("git push", "git log --grep push"),
    ("git push", "git stash push"),
    ("git reset --hard", "git reset --soft HEAD~1"),
    ("git reset --hard", "git reset HEAD -- hard"),
    ("git commit --no-verify", "git commit -m 'use --no-verify no more'"),
    ("git clean -fd", "git clean -n"),
    ("git checkout main", "git checkout -b fix/main-page"),
    ("npm install|i|add", "npm run install-hooks"),
    ("npm install|i|add", "pnpm install"),
    ("npm install|i|add", "grep -rn 'npm install' docs"),
    ("npm install|i|add", "cat <<'EOF' > README.md\nnpm install\nEOF"),
    ("npm install|i|add", 'git commit -m "docs: npm install"'),
    ("npm install|i|add", "# npm install\nls"),
    ("npm publish", "npm pack && echo publish"),
    ("npm", "bun run npm-check"),
    ("pip install", "pip list | grep install"),
    ("pip install", "pip download requests"),
    ("pip install", "uvx pip-audit"),
    ("docker system prune", "docker system df"),
    ("docker rm -f", "docker rm old"),
    ("docker rm -f", "docker run -f rm"),
    ("docker push", "docker pull push/it"),
    ("docker compose down -v|--volumes", "docker compose down"),
    ("kubectl delete", "kubectl get events --field-selector reason=delete"),
    ("kubectl delete namespace|ns", "kubectl delete pod ns-controller"),
    ("kubectl apply", "kubectl diff -f apply.yml"),
    ("terraform apply", "terraform plan -out apply"),
    ("terraform apply -auto-approve", "terraform apply"),
    ("terraform destroy", "terraform plan -destroy"),
    ("psql *drop table*", "psql -c 'select 1'"),
    ("psql *drop table*", "grep -i 'drop table' schema.sql"),
    ("rm -rf", "rm -r old"),
    ("rm -rf", "git rm -rf old"),
    ("rm -rf", "printf '%s' 'rm -rf /'"),
    ("chmod 777", "chmod 644 777"),
)
LINES = 60
LEAST_MATCHED = 60


def test_patterns_match_commands_however_they_are_quoted_wrapped_or_chained() -> None:
    assert len(MATCHES) == LINES
    missed = [case for case in MATCHES if not matches_command(*case)]
    assert len(MATCHES) - len(missed) >= LEAST_MATCHED, missed


def test_patterns_do_not_match_what_only_speaks_of_a_command() -> None:
    assert [case for case in PASSES if matches_command(*case)] == []


def test_a_pattern_that_cannot_work_is_refused_with_one_that_does() -> None:
    patterns = ("", "git 'push", "git add . && git push", "--force", "*", "ls | wc")
    problems = {pattern: check_command(pattern) for pattern in patterns}
    assert [pattern for pattern, problem in problems.items() if not problem or "npm install" not in problem] == []
    assert [path for path in ("**", "/etc/passwd", "../x") if not check_path(path)] == []
    assert check_command("git push --force|-f") is None
    assert check_path("db/seeds/**") is None


@pytest.mark.parametrize("root", ["", "/project/shop"])
def test_a_path_guards_what_changes_it_and_not_what_reads_it(root: str) -> None:
    guard: dict[str, object] = {"strength": "deny", "paths": ["db/seeds/**", "*.lock"]}

    def is_met(tool: str, line: str | None, *files: str) -> bool:
        return guard_matches(guard, tool, line, files, root)

    assert is_met("Edit", None, "db/seeds/a/b.sql")
    assert is_met("Write", None, f"{root}/uv.lock" if root else "uv.lock")
    assert is_met("Bash", "echo x > db/seeds/base.sql")
    assert is_met("Bash", "sed -i s/a/b/ ./db/seeds/base.sql")
    assert not is_met("Bash", "cat db/seeds/base.sql | head")
    assert not is_met("Edit", None, "src/db/seeds.py")


def test_every_sort_of_pattern_that_a_guard_has_must_fit() -> None:
    guard: dict[str, object] = {"strength": "ask", "tools": ["mcp__db__*"], "paths": ["prod/**"]}
    assert guard_matches(guard, "mcp__db__query", None, ["prod/users"], "")
    assert not guard_matches(guard, "mcp__db__query", None, ["dev/users"], "")
    assert not guard_matches(guard, "Edit", None, ["prod/users"], "")


def test_shell_names_the_tool_that_runs_command_lines_in_every_client() -> None:
    guard: dict[str, object] = {"commands": ["git push --force"], "tools": ["shell"]}
    assert [guard_matches(guard, tool, "git push --force", [], "") for tool in ("Bash", "run_shell_command")] == [
        True,
        True,
    ]
    assert not guard_matches({"tools": ["shell"]}, "Edit", None, ["a.py"], "")
