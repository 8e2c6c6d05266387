/** How one kind of credential looks. */
export interface Detector {
  readonly id: string;
  /** Texts of which one is in every match; case does not matter. The expression is only tried around them. */
  readonly keywords: readonly string[];
  /** For a linear engine. Its first group is the secret; without one, the whole match is. */
  readonly regex: string;
  /** How far before a keyword a match may start. */
  readonly before?: number;
  /** How far behind a keyword's start a match may end. */
  readonly reach?: number;
  /** The secret must look random, and must not look like a placeholder. */
  readonly isGuess?: boolean;
  /** A match starts with the keyword, spelt exactly so, and no letter or digit stands before it. */
  readonly isPrefix?: boolean;
  /** A look at what is around a keyword that spares the expression most of them: ordinary texts are full of some. */
  readonly isPlausible?: (text: string, at: number, keyword: string) => boolean;
}

const END = "(?:[^A-Za-z0-9_-]|$)";
/** What is glued to a token goes with it: another token, or the rest of one that its issuer has made longer. */
const GLUED = "[A-Za-z0-9_-]*";

/** A token that is known by its first letters: what stands behind them, as the body of an expression. */
function token(id: string, prefix: string, body: string, reach = 300): Detector {
  const regex = `(${literal(prefix)}${body}${GLUED})`;
  return { id, keywords: [prefix], regex, reach, isPrefix: true };
}

/** A value that is known only by the name it is assigned to. */
function named(id: string, name: string, body: string): Detector {
  const regex = `(?i)${name}[a-z0-9_.-]*["']?\\s*(?:=|:|=>)\\s*["']?(${body})${END}`;
  return { id, keywords: [name], regex, reach: 160 };
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const SECRET_NAMES = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "api_key",
  "api-key",
  "apikey",
  "access_key",
  "accesskey",
  "private_key",
  "credential",
  "passcode",
  "_pass",
  "_pwd",
] as const;

/** Lines of a key, with what a listing, a difference or the text of a program puts around each of them. */
const KEY_BODY = "(?:[A-Za-z0-9+/=:,.\\s\\-\"'>|*#\\x{2192}\\x{2502}]|\\\\[nrt])";

/** The kinds of credentials that are known, by the formats their issuers publish. */
export const detectors: readonly Detector[] = [
  {
    id: "private-key",
    keywords: ["PRIVATE KEY"],
    // A key whose end is missing, because somebody else has cut the text, is a key all the same.
    regex: `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:${KEY_BODY}*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|${KEY_BODY}*)`,
    before: 40,
    reach: 65_536,
  },
  { id: "age-key", keywords: ["AGE-SECRET-KEY-1"], regex: "AGE-SECRET-KEY-1[0-9A-Z]{20,}" },
  {
    id: "jwt",
    keywords: ["eyJ"],
    regex: "(?:^|[^A-Za-z0-9])(eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*)?)",
    reach: 8_192,
  },
  {
    id: "url-password",
    keywords: ["://"],
    regex: "[a-zA-Z][a-zA-Z0-9+.-]*://[^\\s/:@\"'<>]*:([^\\s/@\"'<>$\\{\\}]{3,})@[A-Za-z0-9\\[]",
    before: 32,
  },
  {
    id: "authorization",
    keywords: ["authorization"],
    regex:
      "(?i)authorization[\"']?\\s*[:=]\\s*[\"']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\\s+)?([a-z0-9+/=_.~-]{12,})",
    reach: 8_192,
  },
  {
    id: "bearer",
    keywords: ["bearer "],
    regex: "(?i)bearer\\s+([a-z0-9+/=_.~-]{20,})",
    reach: 8_192,
    isGuess: true,
  },
  {
    id: "cookie",
    keywords: ["cookie:"],
    regex: "(?i)(?:set-)?cookie:\\s*([^\\r\\n]{8,})",
    before: 4,
    reach: 4_096,
  },

  {
    id: "aws-access-key",
    keywords: ["AKIA", "ASIA", "ABIA", "ACCA"],
    regex: `(?:^|[^A-Za-z0-9])((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}${GLUED})`,
  },
  named("aws-secret-key", "aws_secret_access_key", "[A-Za-z0-9/+=]{40}"),
  named("aws-secret-key", "secretaccesskey", "[A-Za-z0-9/+=]{40}"),
  named("aws-session-token", "aws_session_token", "[A-Za-z0-9/+=]{60,}"),
  { id: "azure-account-key", keywords: ["AccountKey="], regex: "AccountKey=([A-Za-z0-9+/=]{40,})" },
  { id: "azure-shared-access", keywords: ["sig="], regex: "[?&]sig=([A-Za-z0-9%+/=]{30,})", before: 1 },
  {
    id: "azure-client-secret",
    keywords: ["Q~"],
    regex: `(?:^|[^A-Za-z0-9])([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})`,
    before: 5,
  },
  token("google-api-key", "AIza", "[A-Za-z0-9_-]{35}"),
  token("google-oauth", "ya29.", "[A-Za-z0-9_-]{20,}", 2_048),
  token("google-client-secret", "GOCSPX-", "[A-Za-z0-9_-]{28}"),
  token("alibaba-access-key", "LTAI", "[A-Za-z0-9]{12,30}"),
  token("digitalocean", "dop_v1_", "[a-f0-9]{64}"),
  token("digitalocean", "doo_v1_", "[a-f0-9]{64}"),
  token("digitalocean", "dor_v1_", "[a-f0-9]{64}"),
  token("cloudflare-origin-ca", "v1.0-", "[a-f0-9]{24}-[a-f0-9]{146}"),
  token("fly", "FlyV1 ", "fm[0-9]_[A-Za-z0-9+/=,_-]{40,}", 4_096),
  token("heroku", "HRKU-", "[A-Za-z0-9_-]{30,}"),
  token("netlify", "nfp_", "[A-Za-z0-9_-]{36,}"),
  token("scaleway", "SCW", "[A-Z0-9]{17}"),

  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) => token("github", prefix, "[A-Za-z0-9]{36,}")),
  token("github", "github_pat_", "[A-Za-z0-9_]{60,}"),
  ...["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-"].map(
    (prefix) => token("gitlab", prefix, "[A-Za-z0-9_.-]{20,}"),
  ),
  token("bitbucket", "ATBB", "[A-Za-z0-9]{24,}"),
  token("atlassian", "ATATT3", "[A-Za-z0-9_=-]{100,}", 400),
  token("npm", "npm_", "[A-Za-z0-9]{36}"),
  named("npm", "_authToken", "[A-Za-z0-9_./+=-]{16,}"),
  token("pypi", "pypi-", "AgE[A-Za-z0-9_-]{50,}", 400),
  token("rubygems", "rubygems_", "[a-f0-9]{48}"),
  token("crates", "cio", "[A-Za-z0-9]{32}"),
  token("nuget", "oy2", "[a-z0-9]{43}"),
  token("docker", "dckr_pat_", "[A-Za-z0-9_-]{20,}"),
  token("clojars", "CLOJARS_", "[a-z0-9]{60}"),
  token("artifactory", "AKCp", "[A-Za-z0-9]{60,}"),
  { id: "terraform", keywords: [".atlasv1."], regex: "([A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,})", before: 15 },
  {
    id: "vault",
    keywords: ["hvs.", "hvb.", "hvr."],
    regex: `(?:^|[^A-Za-z0-9])(hv[sbr]\\.[A-Za-z0-9_-]{24,})`,
    reach: 400,
  },
  token("pulumi", "pul-", "[a-f0-9]{40}"),
  token("doppler", "dp.", "(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,}"),
  token("1password", "ops_", "eyJ[A-Za-z0-9+/=_-]{100,}", 2_048),
  token("tailscale", "tskey-", "[a-z]+-[A-Za-z0-9_-]{12,}"),
  token("infracost", "ico-", "[A-Za-z0-9]{32}"),

  ...["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xoxc-", "xoxd-", "xapp-"].map((prefix) =>
    token("slack", prefix, "[A-Za-z0-9%._-]{10,}"),
  ),
  {
    id: "slack-webhook",
    keywords: ["hooks.slack.com"],
    regex: "hooks\\.slack\\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,})",
  },
  { id: "discord-webhook", keywords: ["/api/webhooks/"], regex: "/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,})" },
  {
    id: "teams-webhook",
    keywords: ["webhook.office.com"],
    regex: "webhook\\.office\\.com/(webhookb2/[A-Za-z0-9@/-]{60,})",
  },
  {
    id: "telegram",
    keywords: [":AA"],
    regex: "(?:^|[^0-9])([0-9]{8,10}:AA[A-Za-z0-9_-]{32,33})(?:[^A-Za-z0-9_-]|$)",
    before: 11,
  },
  token("sendgrid", "SG.", "[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}"),
  token("mailgun", "key-", "[a-f0-9]{32}"),
  token("mailchimp", "md-", "[A-Za-z0-9_-]{22}"),
  token("sendinblue", "xkeysib-", "[a-f0-9]{64}-[A-Za-z0-9]{16}"),
  token("twilio", "SK", "[a-f0-9]{32}"),

  ...["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"].map((prefix) =>
    token("stripe", prefix, "[A-Za-z0-9+/=]{16,}"),
  ),
  ...["shpat_", "shpca_", "shppa_", "shpss_"].map((prefix) => token("shopify", prefix, "[A-Fa-f0-9]{32}")),
  ...["sq0atp-", "sq0csp-", "EAAA"].map((prefix) => token("square", prefix, "[A-Za-z0-9_-]{22,}")),
  token("paypal-braintree", "access_token$", "(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}"),
  token(
    "plaid",
    "access-",
    "(?:sandbox|development|production)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}",
  ),

  token("anthropic", "sk-ant-", "[A-Za-z0-9_-]{20,}"),
  token("openai", "sk-", "(?:(?:proj|svcacct|admin|None)-)?[A-Za-z0-9_-]*T3BlbkFJ[A-Za-z0-9_-]{10,}"),
  token("openai", "sk-proj-", "[A-Za-z0-9_-]{40,}"),
  token("openrouter", "sk-or-", "v1-[a-f0-9]{64}"),
  { ...token("sk-key", "sk-", "[A-Za-z0-9]{32,}"), isGuess: true },
  token("groq", "gsk_", "[A-Za-z0-9]{40,}"),
  token("xai", "xai-", "[A-Za-z0-9]{60,}"),
  token("perplexity", "pplx-", "[A-Za-z0-9]{40,}"),
  token("replicate", "r8_", "[A-Za-z0-9]{37}"),
  token("huggingface", "hf_", "[A-Za-z0-9]{30,}"),
  token("langsmith", "lsv2_", "(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
  token("nvidia", "nvapi-", "[A-Za-z0-9_-]{60,}"),

  token("datadog-app", "ddapp_", "[A-Za-z0-9]{34,}"),
  token("dynatrace", "dt0c01.", "[A-Z0-9]{24}\\.[A-Z0-9]{64}"),
  token("grafana", "glsa_", "[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
  token("grafana", "glc_", "[A-Za-z0-9+/=]{32,}", 800),
  token("newrelic", "NRAK-", "[A-Z0-9]{27}"),
  token("newrelic", "NRII-", "[A-Za-z0-9_-]{32}"),
  token("sentry", "sntrys_", "[A-Za-z0-9+/=_-]{40,}", 800),
  token("sentry", "sntryu_", "[a-f0-9]{64}"),
  token("sonar", "sqp_", "[a-f0-9]{40}"),
  token("sonar", "squ_", "[a-f0-9]{40}"),
  token("posthog", "phx_", "[A-Za-z0-9]{43,}"),

  token("airtable", "pat", "[A-Za-z0-9]{14}\\.[a-f0-9]{64}"),
  token("asana", "2/", "[0-9]{15,17}/[0-9]{15,17}:[a-f0-9]{32}"),
  token("databricks", "dapi", "[a-f0-9]{32}"),
  token("dropbox", "sl.", "[A-Za-z0-9_-]{130,}", 1_500),
  token("figma", "figd_", "[A-Za-z0-9_-]{36,}"),
  token("linear", "lin_api_", "[A-Za-z0-9]{40}"),
  token("linear", "lin_oauth_", "[a-f0-9]{64}"),
  token("notion", "ntn_", "[A-Za-z0-9]{40,}"),
  token("notion", "secret_", "[A-Za-z0-9]{43}"),
  token("planetscale", "pscale_", "(?:tkn|pw|oauth)_[A-Za-z0-9._=-]{32,}"),
  token("postman", "PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}"),
  token("prefect", "pnu_", "[A-Za-z0-9]{36}"),
  token("readme", "rdme_", "[a-z0-9]{70}"),
  token("supabase", "sbp_", "[a-f0-9]{40}"),
  token("supabase", "sb_secret_", "[A-Za-z0-9_-]{20,}"),
  token("typeform", "tfp_", "[A-Za-z0-9._=-]{59}"),
  token("vercel-blob", "vercel_blob_rw_", "[A-Za-z0-9]{16,}_[A-Za-z0-9]{20,}"),
  token("yandex", "AQVN", "[A-Za-z0-9_-]{35,38}"),
  token("easypost", "EZAK", "[A-Za-z0-9]{54}"),
  token("duffel", "duffel_", "(?:test|live)_[A-Za-z0-9_=-]{43}"),
  token("frameio", "fio-u-", "[A-Za-z0-9_=-]{64}"),
  token("contentful", "CFPAT-", "[A-Za-z0-9_-]{43}"),

  {
    id: "assignment",
    keywords: SECRET_NAMES,
    regex: `(?i)(?:${SECRET_NAMES.map(literal).join("|")})[a-z0-9_.-]*["']?\\]?\\s*(?::=|=>|=|:|>)\\s*(?:["']([^"'\\r\\n]{7,})["']|([^\\s"',;<>(){}\\[\\]]{7,}))`,
    reach: 400,
    isGuess: true,
    isPlausible: isAssigned,
  },
  {
    id: "netrc",
    keywords: ["machine "],
    regex: "(?i)machine\\s+\\S+\\s+(?:login\\s+\\S+\\s+)?password\\s+(\\S+)",
    reach: 400,
  },
  {
    id: "docker-auth",
    keywords: ['"auth"'],
    regex: '"auth"\\s*:\\s*"([A-Za-z0-9+/]{12,}={0,2})"',
  },
  {
    id: "command-password",
    keywords: ["curl ", "mysql", "mariadb", "sshpass ", "docker login"],
    // What a client is told on its command line.
    regex:
      "(?i)(?:curl\\b[^\\n]*?\\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\\s:\"'/]+:|(?:mysql|mariadb)\\w*\\s[^\\n]*?-p|sshpass\\s+-p\\s*[\"']?|docker login\\s[^\\n]*?(?:-p|--password)[ =]?[\"']?)([^\\s\"'|;&]{6,})",
    reach: 500,
    isGuess: true,
  },
  {
    id: "flag",
    keywords: SECRET_NAMES,
    regex: `(?i)--?(?:[a-z0-9]+-)*(?:${SECRET_NAMES.map(literal).join("|")})[a-z0-9-]*\\s+["']?([^\\s"',;<>(){}\\[\\]]{7,})`,
    before: 32,
    reach: 400,
    isGuess: true,
    isPlausible: isFlag,
  },
];

/** A name is followed by an operator: `token = `, `"token": `. */
function isAssigned(text: string, at: number, keyword: string): boolean {
  const end = at + 400;
  let place = at + keyword.length;
  while (place < end && /[\w.-]/.test(text.charAt(place))) place++;
  while (/["'\]]/.test(text.charAt(place))) place++;
  // An element: <password>...</password>
  if (text.charAt(place) === ">") return isElement(text, at);
  while (place < end && /\s/.test(text.charAt(place))) place++;
  return /[:=]/.test(text.charAt(place));
}

function isElement(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= at - 64 && /[\w.:-]/.test(text.charAt(before))) before--;
  return text.charAt(before) === "<";
}

/** A name stands behind a dash and before a space: `--api-token `. */
function isFlag(text: string, at: number, keyword: string): boolean {
  let before = at - 1;
  while (before >= at - 32 && /[A-Za-z0-9]/.test(text.charAt(before))) before--;
  if (text.charAt(before) !== "-") return false;
  let place = at + keyword.length;
  while (place < at + 400 && /[A-Za-z0-9-]/.test(text.charAt(place))) place++;
  return /\s/.test(text.charAt(place));
}

const NAME = new RegExp(`(?:${SECRET_NAMES.map(literal).join("|")}|^authorization$|^cookie$|^set-cookie$|^pwd$)`, "i");

/** A key that people keep secrets under has one of these in it. */
export const NAME_WORDS: ReadonlySet<string> = new Set([...SECRET_NAMES, "authorization", "cookie", "pwd"]);

const COUNTED = /tokens?(?:_count|_limit|s)?$|^(?:max|min|num|total|input|output|prompt|completion)_?tokens?$/i;

/** Whether a key is one that people keep secrets under. */
export function isSecretName(key: string): boolean {
  return NAME.test(key) && !(COUNTED.test(key) && /tokens|count|limit|max|min|num/i.test(key));
}

const PLACEHOLDER =
  /^[$%{<[(*]|^(?:process|os|env|config|settings|self|this|secrets|vars|params)\b[.[]|x{4,}|\*{3,}|\.{3}|example|placeholder|changeme|change[-_]me|your[-_]|dummy|redacted|[({})]|^(?:true|false|null|none|undefined)$/i;

/** Whether a value that is only known by its name looks like a secret, and not like code or a stand-in for one. */
export function looksRandom(value: string): boolean {
  if (PLACEHOLDER.test(value) || /^[./~][\w./-]*$/.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9\s]/].filter((kind) => kind.test(value)).length;
  return kinds >= 2 && /[0-9]|[^A-Za-z0-9\s._/:-]/.test(value) && entropyOf(value) >= 2.75;
}

/** Shannon's entropy in bits per character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
