"""One token a rule, written down as its format, and the generator that makes a token from it.

No token stands in this file: `{A36}` becomes 36 random letters and digits when a test runs. The letters are
A letters and digits, S the same with `_` and `-`, B base64, H hexadecimal, C capitals and digits, L small
letters and digits, N digits, T base32; `{U}` is a UUID. What stands before `<<` and after `>>` is context that
must survive.
"""

from __future__ import annotations

import random
import string

ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "S": string.ascii_letters + string.digits + "_-",
    "B": string.ascii_letters + string.digits + "+/",
    "H": string.digits + "abcdef",
    "C": string.ascii_uppercase + string.digits,
    "L": string.ascii_lowercase + string.digits,
    "N": string.digits,
    "T": string.ascii_uppercase + "234567",
}

FORMATS = r"""
aws-access-key AKIA{C16}
aws-mws-token amzn.mws.{U}
aws-appsync-key da2-{L26}
aws-bedrock-key ABSK{B128}=
aws-bedrock-session-key bedrock-api-key-{B60}
aws-session-token IQoJb3JpZ2luX2Vj{B300}
gcp-api-key AIza{A35}
google-oauth-secret GOCSPX-{A28}
google-oauth-token ya29.{S60}
google-refresh-token 1//0{A60}
firebase-messaging-key AAAA{A7}:APA91b{A134}
azure-storage-key AccountKey=<<{B86}==>>
azure-shared-access-key SharedAccessKey=<<{B43}=>>
azure-sas-signature ?sv=2022&sig=<<{A43}%3D>>
azure-app-config-secret Id=x;Secret=<<{A43}=>>
azure-client-secret {A3}8Q~{A34}
azure-devops-token {A76}AZDO{A4}
azure-messaging-key {A33}+ASb{A6}=
azure-iot-key {A33}AIoTB{A5}=
azure-cosmos-key {A76}ACDb{A6}==
azure-batch-key {A76}+ABa{A6}==
azure-function-key {A44}AzFu{A5}Q==
azure-search-key {A42}AzSeB{A5}
azure-registry-key {A42}+ACRA{A5}
alibaba-access-key LTAI{A20}
tencent-secret-id AKID{A32}
scaleway-access-key SCW{C17}
digitalocean-token dop_v1_{H64}
heroku-key HRKU-{A60}
cloudflare-origin-key v1.0-{H24}-{H146}
cloudflare-tunnel-token eyJhIjoi{A100}
fly-token fo1_{A43}
fly-macaroon fm2_{B120}
yandex-api-key AQVN{A36}
yandex-static-key YC{A38}
yandex-iam-token t1.{A20}.{A86}
openshift-token sha256~{A43}
netlify-token nfp_{A40}
vercel-token vcp_{A40}
render-key rnd_{A32}
scalingo-token tk-us-{A48}
akamai-credential akab-{L16}-{L16}
github-token ghp_{A36}
github-oauth-token gho_{A36}
github-user-token ghu_{A36}
github-server-token ghs_{A36}
github-refresh-token ghr_{A36}
github-fine-grained-token github_pat_{A22}_{A59}
gitlab-token glpat-{A20}
gitlab-deploy-token gldt-{A20}
gitlab-runner-token glrt-{A20}
gitlab-runner-registration-token GR1348941{A20}
gitlab-job-token glcbt-{A24}
gitlab-trigger-token glptt-{H40}
gitlab-feed-token glft-{A20}
gitlab-mail-token glimt-{A25}
gitlab-agent-token glagent-{A50}
gitlab-oauth-secret gloas-{H64}
gitlab-scim-token glsoat-{A20}
gitlab-feature-flag-token glffct-{A20}
gitlab-workspace-token glwt-{A20}
gitlab-session _gitlab_session=<<{L32}>>
bitbucket-app-password ATBB{A32}
bitbucket-repository-token ATCTT3xFf{A180}
atlassian-token ATATT3{A180}
sourcegraph-token sgp_{H16}_{H40}
circleci-token CCIPAT_{A22}_{H40}
buildkite-token bkua_{H40}
harness-key pat.{A22}.{A24}.{A20}
octopus-key API-{C26}
sonar-token squ_{H40}
prefect-key pnu_{A36}
stackhawk-key hawk.{A20}.{A20}
dependency-track-key odt_{A32}
pulumi-token pul-{H40}
terraform-token {A14}.atlasv1.{A67}
infracost-key ico-{A32}
npm-token npm_{A36}
npm-legacy-token //host/:_authToken=<<{U}>>
pypi-token pypi-AgEIcHlwaS5vcmc{A150}
testpypi-token pypi-AgENdGVzdC5weXBpLm9yZ{A150}
rubygems-key rubygems_{H48}
crates-token cio{A32}
nuget-key oy2{L43}
docker-token dckr_pat_{A27}
clojars-token CLOJARS_{L60}
artifactory-key AKCp{A69}
artifactory-reference-token cmVmd{A59}
readme-key rdme_{L70}
anthropic-key sk-ant-api03-{S93}AA
openai-key sk-proj-{A48}
openai-legacy-key sk-{A20}T3BlbkFJ{A20}
openrouter-key sk-or-v1-{H64}
langfuse-key sk-lf-{U}
model-api-key sk-{A32}
elevenlabs-key sk_{H48}
huggingface-token hf_{A34}
huggingface-org-token api_org_{A34}
groq-key gsk_{A52}
perplexity-key pplx-{A48}
xai-key xai-{A80}
replicate-token r8_{A37}
fireworks-key fw_{A24}
together-key tgp_v1_{A43}
cerebras-key csk-{L48}
nvidia-key nvapi-{A64}
voyage-key pa-{A43}
langsmith-key lsv2_pt_{H32}_{H10}
tavily-key tvly-{A32}
jina-key jina_{A60}
firecrawl-key fc-{H32}
e2b-key e2b_{H40}
brave-search-key BSA{A28}
browserbase-key bb_live_{A27}
pinecone-key pcsk_{A70}
llama-cloud-key llx-{A48}
modal-token as-{A22}
runpod-key rpa_{C42}
slack-bot-token xoxb-{N12}-{N13}-{A24}
slack-user-token xoxp-{N11}-{N11}-{N12}-{H32}
slack-legacy-token xoxs-{N12}-{N9}-{H10}
slack-config-token xoxe.xoxp-1-{A160}
slack-browser-token xoxc-{N12}-{N12}-{H32}
slack-cookie xoxd-{A60}
slack-app-token xapp-1-{C11}-{N13}-{H64}
slack-webhook https://hooks.slack.com/<<services/T{C10}/B{C10}/{A24}>>
discord-bot-token M{A23}.{A6}.{A27}
discord-webhook https://discord.com/api/webhooks/<<{N18}/{A68}>>
telegram-bot-token {N10}:AA{A33}
teams-webhook https://x.webhook.office.com/webhookb2/<<{U}@{U}/IncomingWebhook/{H32}/{U}>>
matrix-token syt_{A16}_{A20}_{A6}
twitch-stream-key live_{N9}_{A30}
twitch-chat-token oauth:<<{L30}>>
twilio-key SK{H32}
twilio-account-sid AC{H32}
sendgrid-key SG.{A22}.{A43}
mailgun-key key-{H32}
mailgun-public-key pubkey-{H32}
mailgun-signing-key {H32}-{H8}-{H8}
mailchimp-key {H32}-us12
brevo-key xkeysib-{H64}-{A16}
resend-key re_{A8}_{A24}
mandrill-key md-{A22}
courier-key pk_prod_{C28}
stripe-key sk_live_{A24}
webhook-secret whsec_{A32}
shopify-token shpat_{H32}
square-token sq0atp-{A22}
square-access-token EAAA{A60}
paypal-braintree-token access_token$production${L16}${H32}
plaid-token access-sandbox-{U}
razorpay-key rzp_live_{A14}
flutterwave-key FLWSECK-{H32}-X
flutterwave-public-key FLWPUBK-{H32}-X
gocardless-token live_{A40}
lob-key live_{H35}
shippo-token shippo_live_{H40}
duffel-token duffel_live_{A43}
easypost-key EZAK{A54}
mollie-key live_{A30}
polar-token polar_oat_{A40}
paddle-key pdl_live_apikey_{L26}_{A22}
checkout-key sk_sbox_{L27}
xendit-key xnd_production_{A48}
newrelic-user-key NRAK-{C27}
newrelic-insert-key NRII-{A32}
newrelic-query-key NRIQ-{A32}
newrelic-browser-key NRJS-{H19}
newrelic-admin-key NRAA-{H27}
newrelic-rest-key NRRA-{H42}
newrelic-license-key {H36}NRAL
pixie-key px-api-{U}
sentry-org-token sntrys_eyJ{A120}
sentry-user-token sntryu_{H64}
sentry-dsn https://<<{H32}@o1.ingest.sentry.io/42>>
grafana-service-token glsa_{A32}_{H8}
grafana-cloud-token glc_{A60}
grafana-key eyJrIjoi{A80}
dynatrace-token dt0c01.{C24}.{C64}
honeycomb-key hcaik_{L58}
launchdarkly-key sdk-{U}
posthog-key phx_{A43}
segment-token sgp_{A64}
axiom-token xaat-{U}
statsig-key secret-{A43}
linear-key lin_api_{A40}
linear-oauth-token lin_oauth_{H64}
notion-token ntn_{N11}{A35}
notion-legacy-token secret_{A43}
airtable-token pat{A14}.{H64}
asana-token 2/1{N15}/1{N15}:{H32}
clickup-token pk_{N7}_{C32}
figma-token figd_{A40}
figma-header-token X-Figma-Token: <<{N4}-{U}>>
contentful-token CFPAT-{A43}
typeform-token tfp_{A44}
hubspot-token pat-na1-{U}
intercom-token dG9rO{A55}=
salesforce-session 00D{A15}!AQ{A90}
postman-key PMAK-{H24}-{H34}
postman-collection-key PMAT-{C26}
webflow-token ws-{H64}
frameio-token fio-u-{A64}
settlemint-token sm_pat_{A16}
adobe-client-secret p8e-{A32}
intra42-secret s-s4t2ud-{H64}
retool-token retool_{L26}
dropbox-token sl.{A140}
mapbox-token sk.eyJ{A60}.{A22}
mapbox-key pk.{L60}.{L22}
adafruit-key aio_{A28}
maxmind-key {A6}_{A29}_mmk
defined-networking-token dnkey-{A26}-{A52}
facebook-token EAAC{A100}
facebook-app-token {N16}|{A27}
twitter-bearer-token AAAAAAAAAAAAAAAAAAAAA{A80}
beamer-token b_{A44}
instagram-token IGQV{A80}
vault-service-token hvs.{A90}
vault-batch-token hvb.{A140}
vault-recovery-token hvr.{A40}
doppler-token dp.pt.{A43}
1password-service-token ops_eyJ{A260}
1password-secret-key A3-{C6}-{C11}-{C5}-{C5}-{C5}
age-secret-key AGE-SECRET-KEY-1{C58}
infisical-token st.{H24}.{H64}
bitwarden-token 0.{U}.{A30}
tailscale-key tskey-auth-{A12}-{A32}
authress-key sc_{A10}.{A4}.acc_{A12}.{A44}
okta-api-token SSWS <<00{A40}>>
wireguard-key PrivateKey = <<{A43}=>>
nats-seed SU{T56}
jwk-private-part "kty":"EC","d":"<<{A43}>>"
jwt eyJhbGciOiJI{A24}.eyJ{A40}.{A43}
jwt-base64 ZXlK{A200}
password-hash $2b$12${A53}
databricks-token dapi{H32}
planetscale-token pscale_tkn_{A43}
supabase-token sbp_{H40}
supabase-secret-key sb_secret_{A31}
neon-key napi_{L64}
mongodb-atlas-secret mdb_sa_sk_{A40}
cockroach-key CCDB1_{A22}_{A40}
clickhouse-key 4b1d{A38}
astra-token AstraCS:{A24}:{H64}
aiven-password AVNS_{A19}
confluent-secret cflt{B60}
dbt-token dbtc_{A40}
tinybird-token p.eyJ1Ijog{A100}
convex-key prod:happy-otter-123|{A60}
"""

CASES = dict(line.split(" ", 1) for line in FORMATS.strip().splitlines())


def assembled(name: str, form: str) -> tuple[str, str, str]:
    """Make the text before the token, the token, and the text after it, always the same for a name."""
    source = random.Random(name)
    before, _, rest = form.partition("<<") if "<<" in form else ("", "", form)
    token, _, after = rest.partition(">>")
    return before, filled(token, source), after


def filled(form: str, source: random.Random) -> str:
    """Replace every `{A36}` of a format by random characters."""
    text = ""
    while "{" in form:
        head, _, rest = form.partition("{")
        field, _, form = rest.partition("}")
        text += head + (uuid(source) if field == "U" else characters(field[0], int(field[1:]), source))
    return text + form


def characters(alphabet: str, count: int, source: random.Random) -> str:
    """Draw characters, with at least one digit and one letter where the alphabet has both."""
    while True:
        drawn = "".join(source.choices(ALPHABETS[alphabet], k=count))
        if count < 8 or alphabet == "N" or (any(c.isdigit() for c in drawn) and any(c.isalpha() for c in drawn)):
            return drawn


def uuid(source: random.Random) -> str:
    """Draw a UUID."""
    return "-".join(characters("H", count, source) for count in (8, 4, 4, 4, 12))
