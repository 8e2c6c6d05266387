/** What a kind of secret looks like. Where there is a group, that part of the match is the secret. */
export interface Detector {
  readonly name: string;
  readonly pattern: RegExp;
}

// Text comes from agents, and this engine backtracks. Every expression therefore starts at a literal that stands at the
// start of a run of its own characters and takes all of that run, or is bounded: no text is looked at more than a few
// times.
const START = "(?<![A-Za-z0-9_-])";

function token(name: string, source: string): Detector {
  return { name, pattern: new RegExp(START + source, "g") };
}

/** Names of values that are secrets whatever they look like. */
const WORDS =
  "pass(?:word|wd|phrase)|(?:client|api|app|aws|shared|signing|webhook)[_-]?secret|secret(?:[_-]?(?:access)?[_-]?key)?|" +
  "(?:api|access|account|auth|private|signing|encryption)[_-]?key|(?:auth|access|refresh|bearer|id|session|api)[_-]?token|credentials?";

// What refers to a secret is none: $TOKEN, <token>, {{token}}, getToken().
const VALUE = "[^\\s\"'`,;&|<>(){}[\\]$]{6,500}(?![(\\w[])";

/** A key of an object whose text is a secret. */
export const SECRET_KEY: RegExp = new RegExp(
  `^(?:[A-Za-z0-9]{1,40}[_-]){0,4}(?:${WORDS}|authorization|pwd|token)$`,
  "i",
);

/** The detectors that are always there. */
export const detectors: readonly Detector[] = [
  {
    name: "private-key",
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,60}-----|$)/g,
  },
  token("age-key", "AGE-SECRET-KEY-1[A-Z0-9]{58}"),
  token("anthropic", "sk-ant-[A-Za-z0-9_-]{20,}"),
  token("aws-access-key", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
  token("databricks", "dapi[a-f0-9]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
  token("digitalocean", "do[opr]_v1_[a-f0-9]{64}"),
  token("github", "(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"),
  token("gitlab", "gl(?:pat|dt|rt|cbt|ptt|soat|ft|agent)-[A-Za-z0-9_-]{20,}"),
  token("google-api-key", "AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
  token("google-oauth", "(?:ya29\\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{28})"),
  token("hugging-face", "hf_[A-Za-z0-9]{34,40}(?![A-Za-z0-9])"),
  token("jwt", "eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]{0,}"),
  token("npm", "npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
  token("openai", "sk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}"),
  token("pypi", "pypi-[A-Za-z0-9_-]{50,}"),
  token("sendgrid", "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}"),
  token("shopify", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
  token("slack", "(?:xox[abceoprs]-|xapp-)[A-Za-z0-9-]{10,}"),
  { name: "slack-webhook", pattern: /hooks\.slack\.com\/(?:services|workflows)\/([A-Za-z0-9+/]{20,100})/g },
  token("stripe", "(?:[rs]k|whsec)_(?:(?:live|test)_)?[A-Za-z0-9]{16,}"),
  token("vault", "hv[bsr]\\.[A-Za-z0-9_-]{24,}"),
  { name: "authorization", pattern: /(?<![A-Za-z0-9_-])(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})/gi },
  { name: "url-password", pattern: /:\/\/[^\s/:@"'[\]]{0,100}:([^\s/@"'[\]]{1,200})@/g },
  { name: "assignment", pattern: new RegExp(`(?:${WORDS})["']?[ \\t]{0,4}[:=]{1,2}[ \\t]{0,4}["']?(${VALUE})`, "gi") },
  { name: "flag", pattern: new RegExp(`--?(?:[a-z]{1,20}-){0,3}(?:${WORDS})[ \\t]{1,4}["']?(${VALUE})`, "gi") },
];

/**
 * Whether a text can hold a secret at all: the words every detector needs. Nearly no record has one, and then nothing
 * else is looked at.
 */
export const HINT: RegExp =
  /PRIVATE KEY|AGE-SECRET|AKIA|ASIA|ABIA|ACCA|dapi[a-f0-9]|do[opr]_v1_|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|AIza|ya29\.|GOCSPX|hf_|eyJ|npm_|sk-|pypi-|SG\.|shp[acps][ats]_|xox|xapp-|hooks\.slack|[rs]k_|whsec_|hv[bsr]\.|bearer|basic|:\/\/|pass(?:w|p)|pwd|secret|key|token|credential|authorization/i;
