/** Tokens that are known by their form, whatever is before them. */
import { HIDDEN } from './quoted-secrets.ts';
import type { Replacements } from './replacements.ts';

/** Of one word. */
export const TOKENS: Replacements = [
  // A JSON web token, also one that was cut; JSON in base64.
  [/\beyJ[\w+/-]{8,}={0,2}(?:\.[\w-]*){0,2}/g, HIDDEN],
  // A token for EKS is a signed request; a token of GitHub; a client secret of Entra ID, by its fourth to sixth character.
  [/\bk8s-aws-v1\.[\w-]+/g, HIDDEN],
  [/\bgh[pousr]_\w{20,}/g, HIDDEN],
  [/[\w.~-]{3}\dQ~[\w.~-]{20,}/g, HIDDEN],
  // A token of GitLab, of npm, of Slack.
  [/\bglpat-[\w-]{16,}/g, HIDDEN],
  // Others of GitLab. Names of pods begin like them, without capitals.
  [/\bgl(?:rt|dt|cbt)-(?=[\w-]{0,64}[A-Z])[\w-]{20,}/g, HIDDEN],
  [/\bnpm_[A-Za-z0-9]{30,}/g, HIDDEN],
  [/\b(?:xox[abeprs]|xapp)-[\w-]{10,}/g, HIDDEN],
  // A token of Vault, of Docker, of GitHub; a key of OpenAI or Anthropic, of Stripe.
  [/\bhv[sbr]\.[\w-]{20,}/g, HIDDEN],
  [/\b(?:dckr_pat|github_pat)_[\w-]{20,}/g, HIDDEN],
  [/(?<![\w-])sk-(?:(?:proj|svcacct|admin|ant)-[\w-]{16,}|[A-Za-z0-9]{32,})/g, HIDDEN],
  [/\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g, HIDDEN],
  // A token of Hugging Face, of Grafana, of NVIDIA, of Tailscale, of PyPI, of Artifactory.
  [/\b(?:hf_[A-Za-z0-9]{30,}|glsa_\w{20,})/g, HIDDEN],
  [/\bnvapi-[\w-]{20,}/g, HIDDEN],
  [/\btskey-[a-z]{2,16}-[\w-]{8,}/g, HIDDEN],
  [/\bpypi-AgE[\w-]{16,}/g, HIDDEN],
  [/\bAKCp[A-Za-z0-9]{10,}/g, HIDDEN],
  // A token or a client secret of Google, a key of New Relic, a token of Databricks, of Atlassian.
  [/\bya29\.[\w-]{16,}/g, HIDDEN],
  [/\bGOCSPX-[\w-]{16,}/g, HIDDEN],
  [/\bNRAK-[A-Za-z0-9]{20,}/g, HIDDEN],
  [/\bdapi[\da-f]{32}(?:-\d)?(?!\w)/g, HIDDEN],
  [/\bATATT3[\w=-]{16,}/g, HIDDEN],
  // A key of age, in capitals.
  [/\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/g, HIDDEN],
  // A private key in base64: PRIVATE behind any number of characters.
  [/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]*?(?:UFJJVkFURS|QUklWQVRF|BSSVZBVE)[A-Za-z0-9+/]*={0,2}/g, HIDDEN],
  // A key of Google, of SendGrid; the address of a webhook, which is all that it takes.
  [/\bAIza[\w-]{35}/g, HIDDEN],
  [/\bSG\.[\w-]{16,}\.[\w-]{16,}/g, HIDDEN],
  [/(\bhooks\.slack\.com\/(?:services|triggers|workflows)\/)[\w/-]+/gi, `$1${HIDDEN}`],
  [/(\bwebhook\.office\.com\/webhookb2\/)[\w/@-]+/gi, `$1${HIDDEN}`],
  [/(\bapi\.telegram\.org\/(?:file\/)?bot)\d+(?::|%3A)[\w-]+/gi, `$1${HIDDEN}`],
  [/(\bdiscord(?:app)?\.com\/api\/webhooks\/)[\w/-]+/gi, `$1${HIDDEN}`],
];
