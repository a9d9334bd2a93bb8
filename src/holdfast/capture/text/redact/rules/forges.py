"""Where code lives and is built: Git forges, CI services, infrastructure as code."""

from holdfast.capture.text.redact.rules.notation import (
    ALNUM,
    HEX,
    START,
    URLSAFE,
    Rule,
    any_prefix,
    prefix_rule,
    shape_rule,
)

_GITHUB = ALNUM + "{36,}"
_GITLAB = URLSAFE + r"{20,}(?:\.[A-Za-z0-9_-]{2,12}){0,2}"

RULES: tuple[Rule, ...] = (
    # GitHub
    prefix_rule("github-token", "ghp_", _GITHUB),
    prefix_rule("github-oauth-token", "gho_", _GITHUB),
    prefix_rule("github-user-token", "ghu_", _GITHUB),
    prefix_rule("github-server-token", "ghs_", _GITHUB),
    prefix_rule("github-refresh-token", "ghr_", _GITHUB),
    prefix_rule("github-fine-grained-token", "github_pat_", r"[A-Za-z0-9_]{50,}"),
    # GitLab
    prefix_rule("gitlab-token", "glpat-", _GITLAB),
    prefix_rule("gitlab-deploy-token", "gldt-", _GITLAB),
    prefix_rule("gitlab-runner-token", "glrt-", _GITLAB),
    prefix_rule("gitlab-runner-registration-token", "GR1348941", URLSAFE + "{20,}"),
    prefix_rule("gitlab-job-token", "glcbt-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-trigger-token", "glptt-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-feed-token", "glft-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-mail-token", "glimt-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-agent-token", "glagent-", URLSAFE + "{40,}"),
    prefix_rule("gitlab-oauth-secret", "gloas-", URLSAFE + "{40,}"),
    prefix_rule("gitlab-scim-token", "glsoat-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-feature-flag-token", "glffct-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-workspace-token", "glwt-", URLSAFE + "{20,}"),
    ("gitlab-session", ("_gitlab_session=",), r"_gitlab_session=([A-Za-z0-9]{32})"),
    # Atlassian
    prefix_rule("bitbucket-app-password", "ATBB", ALNUM + "{28,}"),
    prefix_rule("bitbucket-repository-token", "ATCTT3xFf", r"[A-Za-z0-9_=-]{80,}"),
    prefix_rule("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{80,}"),
    # Other forges and code search
    shape_rule("sourcegraph-token", ("sgp_",), r"sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}\b"),
    # CI
    shape_rule("circleci-token", ("CCIPAT_", "CCIPRJ_"), r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    any_prefix("buildkite-token", ("bkua_", "bkaj_", "bkct_"), HEX + "{40}"),
    shape_rule("harness-key", ("pat.", "sat."), r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b"),
    ("octopus-key", ("API-",), START + r"(API-[A-Z0-9]{26})\b"),
    any_prefix("sonar-token", ("squ_", "sqp_", "sqa_"), HEX + "{40}"),
    prefix_rule("prefect-key", "pnu_", ALNUM + "{36}"),
    prefix_rule("stackhawk-key", "hawk.", r"[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20}"),
    prefix_rule("dependency-track-key", "odt_", ALNUM + "{32,}"),
    # Infrastructure as code
    prefix_rule("pulumi-token", "pul-", HEX + "{40}"),
    shape_rule("terraform-token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    prefix_rule("infracost-key", "ico-", ALNUM + r"{32}\b"),
)
