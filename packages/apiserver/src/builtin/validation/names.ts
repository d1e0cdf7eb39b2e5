/**
 * The rules for names: objects, labels, ports, environment variables, configuration keys. Each function gives the
 * errors about a name, none when it is valid. Valid names are cached, since clusters use the
 * same few names everywhere.
 */

export type NameRule = (name: string, prefix?: boolean) => readonly string[];

/** Most objects: dots are allowed, capitals are not. With `prefix` the name may still get a suffix. */
export const subdomainName: NameRule = (name, prefix = false) => subdomain(prefix ? maskDash(name) : name);
/** Namespaces and containers: no dots. */
export const labelName: NameRule = (name, prefix = false) => label(prefix ? maskDash(name) : name);
/** Old services: must begin with a letter. */
export const dns1035Name: NameRule = (name, prefix = false) => dns1035(prefix ? maskDash(name) : name);
/** Roles and similar kinds: any name that is a valid path segment. */
export const pathSegmentName: NameRule = (name, prefix = false) => pathSegment(name, prefix);
/** Names that become parts of a host name: a subdomain that should have been a label. */
export const dotlessName: NameRule = (name, prefix = false) => {
  const masked = prefix ? maskDash(name) : name;
  if (masked.includes('.')) return ['must not contain dots'];
  return label(masked);
};

export const qualifiedName = remember((name) => {
  const parts = name.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${mustBe(QUALIFIED_RULE, QUALIFIED_EXAMPLES, QUALIFIED)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  if (parts.length === 2) {
    if (parts[0] === '') errors.push('prefix part must be non-empty');
    else errors.push(...subdomain(parts[0]!).map((error) => `prefix part ${error}`));
  }
  const base = parts.at(-1)!;
  if (base === '') errors.push('name part must be non-empty');
  else if (base.length > 63) errors.push('name part must be no more than 63 bytes');
  if (!QUALIFIED_PATTERN.test(base))
    errors.push(`name part ${mustBe(QUALIFIED_RULE, QUALIFIED_EXAMPLES, QUALIFIED)}`);
  return errors;
});

export const labelValue = remember((value) => {
  const errors: string[] = [];
  if (value.length > 63) errors.push('must be no more than 63 bytes');
  if (!LABEL_VALUE_PATTERN.test(value)) {
    errors.push(
      `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ${shown(['MyValue', 'my_value', '12345'], `(${QUALIFIED})?`)}`,
    );
  }
  return errors;
});

export const portName = remember((name) => {
  const errors: string[] = [];
  if (name.length > 15) errors.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name))
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) errors.push('must contain at least one letter (a-z)');
  if (name.includes('--')) errors.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
});

export const environmentName = remember((name) =>
  name === ''
    ? ['environment variable name must be non-empty']
    : /^[ -<>-~]+$/.test(name)
      ? []
      : [`a valid environment variable name must consist only of printable ASCII characters other than '='`],
);

export const configKey = remember((key) => {
  const errors: string[] = [];
  if (key.length > 253) errors.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    errors.push(
      `a valid config key must consist of alphanumeric characters, '-', '_' or '.' ${shown(['key.name', 'KEY_NAME', 'key-name'], '[-._a-zA-Z0-9]+')}`,
    );
  }
  if (key === '.' || key === '..') errors.push(`must not be '${key}'`);
  else if (key.startsWith('..')) errors.push("must not start with '..'");
  return errors;
});

/** Names of a DNS search list, where underscores are common. */
export const searchName = remember((name) => {
  const errors: string[] = [];
  if (name.length > 253) errors.push('must be no more than 253 characters');
  if (!SEARCH_PATTERN.test(name)) {
    errors.push(
      `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character ${shown(['example.com'], SEARCH)}`,
    );
  }
  return errors;
});

export function portNumber(port: number): readonly string[] {
  return port >= 1 && port <= 65535 ? NONE : ['must be between 1 and 65535, inclusive'];
}

// ---------------------------------------------------------------------------------------------------

const NONE: readonly string[] = [];
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SEARCH_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SEARCH = `${SEARCH_LABEL}(\\.${SEARCH_LABEL})*`;
const DNS1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const QUALIFIED_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_EXAMPLES = ['MyName', 'my.name', '123-abc'];

const LABEL_PATTERN = new RegExp(`^${LABEL}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const SEARCH_PATTERN = new RegExp(`^${SEARCH}$`);
const DNS1035_PATTERN = new RegExp(`^${DNS1035}$`);
const QUALIFIED_PATTERN = new RegExp(`^${QUALIFIED}$`);
const LABEL_VALUE_PATTERN = new RegExp(`^(${QUALIFIED})?$`);

const REMEMBERED = 20_000;

/** Valid names are kept in a set, which is cleared when it is too large. */
function remember(rule: (name: string) => string[]): (name: string) => readonly string[] {
  const good = new Set<string>();
  return (name) => {
    if (good.has(name)) return NONE;
    const errors = rule(name);
    if (errors.length > 0) return errors;
    if (good.size >= REMEMBERED) good.clear();
    good.add(name);
    return NONE;
  };
}

function subdomain(name: string): readonly string[] {
  if (name.length <= 253 && SUBDOMAIN_PATTERN.test(name)) return NONE;
  const errors: string[] = [];
  if (name.length > 253) errors.push('must be no more than 253 characters');
  if (!SUBDOMAIN_PATTERN.test(name)) {
    errors.push(
      `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character ${shown(['example.com'], SUBDOMAIN)}`,
    );
  }
  return errors;
}

function label(name: string): readonly string[] {
  if (name.length <= 63 && LABEL_PATTERN.test(name)) return NONE;
  const errors: string[] = [];
  if (name.length > 63) errors.push('must be no more than 63 characters');
  if (!LABEL_PATTERN.test(name)) {
    errors.push(
      SUBDOMAIN_PATTERN.test(name)
        ? 'must not contain dots'
        : `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character ${shown(['my-name', '123-abc'], LABEL)}`,
    );
  }
  return errors;
}

function dns1035(name: string): readonly string[] {
  const errors: string[] = [];
  if (name.length > 63) errors.push('must be no more than 63 bytes');
  if (!DNS1035_PATTERN.test(name)) {
    errors.push(
      `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character ${shown(['my-name', 'abc-123'], DNS1035)}`,
    );
  }
  return errors;
}

function pathSegment(name: string, prefix: boolean): readonly string[] {
  const errors: string[] = [];
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  for (const char of ['/', '%']) if (name.includes(char)) errors.push(`may not contain '${char}'`);
  return errors;
}

/** A prefix may end in a dash, since something will follow. */
function maskDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

function mustBe(rule: string, examples: readonly string[], pattern: string): string {
  return `${rule} ${shown(examples, pattern)}`;
}

function shown(examples: readonly string[], pattern: string): string {
  return `(e.g. ${examples.map((example) => `'${example}'`).join(',  or ')}, regex used for validation is '${pattern}')`;
}
