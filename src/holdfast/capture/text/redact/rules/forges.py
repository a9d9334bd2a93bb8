"""Where code lives and is built: Git forges, CI services, infrastructure as code."""

from holdfast.capture.text.redact.rules.notation import (
    ALNUM,
    HEX,
    START,
    URLSAFE,
    Rule,
    any_prefix,
    prefixed,
    shaped,
)

_GITHUB = ALNUM + "{36,}"
_GITLAB = URLSAFE + r"{20,}(?:\.[A-Za-z0-9_-]{2,12}){0,2}"

RULES: tuple[Rule, ...] = (
    # GitHub
    prefixed("github-token", "ghp_", _GITHUB),
    prefixed("github-oauth-token", "gho_", _GITHUB),
    prefixed("github-user-token", "ghu_", _GITHUB),
    prefixed("github-server-token", "ghs_", _GITHUB),
    prefixed("github-refresh-token", "ghr_", _GITHUB),
    prefixed("github-fine-grained-token", "github_pat_", r"[A-Za-z0-9_]{50,}"),
    # GitLab
    prefixed("gitlab-token", "glpat-", _GITLAB),
    prefixed("gitlab-deploy-token", "gldt-", _GITLAB),
    prefixed("gitlab-runner-token", "glrt-", _GITLAB),
    prefixed("gitlab-runner-registration-token", "GR1348941", URLSAFE + "{20,}"),
    prefixed("gitlab-job-token", "glcbt-", URLSAFE + "{20,}"),
    prefixed("gitlab-trigger-token", "glptt-", URLSAFE + "{20,}"),
    prefixed("gitlab-feed-token", "glft-", URLSAFE + "{20,}"),
    prefixed("gitlab-mail-token", "glimt-", URLSAFE + "{20,}"),
    prefixed("gitlab-agent-token", "glagent-", URLSAFE + "{40,}"),
    prefixed("gitlab-oauth-secret", "gloas-", URLSAFE + "{40,}"),
    prefixed("gitlab-scim-token", "glsoat-", URLSAFE + "{20,}"),
    prefixed("gitlab-feature-flag-token", "glffct-", URLSAFE + "{20,}"),
    prefixed("gitlab-workspace-token", "glwt-", URLSAFE + "{20,}"),
    ("gitlab-session", ("_gitlab_session=",), r"_gitlab_session=([A-Za-z0-9]{32})"),
    # Atlassian
    prefixed("bitbucket-app-password", "ATBB", ALNUM + "{28,}"),
    prefixed("bitbucket-repository-token", "ATCTT3xFf", r"[A-Za-z0-9_=-]{80,}"),
    prefixed("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{80,}"),
    # Other forges and code search
    shaped("sourcegraph-token", ("sgp_",), r"sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}\b"),
    # CI
    shaped("circleci-token", ("CCIPAT_", "CCIPRJ_"), r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    any_prefix("buildkite-token", ("bkua_", "bkaj_", "bkct_"), HEX + "{40}"),
    shaped("harness-key", ("pat.", "sat."), r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b"),
    ("octopus-key", ("API-",), START + r"(API-[A-Z0-9]{26})\b"),
    any_prefix("sonar-token", ("squ_", "sqp_", "sqa_"), HEX + "{40}"),
    prefixed("prefect-key", "pnu_", ALNUM + "{36}"),
    prefixed("stackhawk-key", "hawk.", r"[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20}"),
    prefixed("dependency-track-key", "odt_", ALNUM + "{32,}"),
    # Infrastructure as code
    prefixed("pulumi-token", "pul-", HEX + "{40}"),
    shaped("terraform-token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    prefixed("infracost-key", "ico-", ALNUM + r"{32}\b"),
)
