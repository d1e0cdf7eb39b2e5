/** Which label keys and values Kubernetes takes, and its words about the others. */

/** The complaints about a label key (a qualified name); none when it is fine. */
export function labelKeyErrors(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${mustBe(NAME_RULE, NAME_EXAMPLES, NAME)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const name = parts[parts.length - 1]!;
  if (parts.length === 2) {
    const prefix = parts[0]!;
    if (prefix === '') errors.push('prefix part must be non-empty');
    else errors.push(...subdomainErrors(prefix).map((error) => `prefix part ${error}`));
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (name.length > MAX_LENGTH) errors.push(`name part must be no more than ${MAX_LENGTH} bytes`);
  if (!NAME_PATTERN.test(name)) errors.push(`name part ${mustBe(NAME_RULE, NAME_EXAMPLES, NAME)}`);
  return errors;
}

export function labelValueErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > MAX_LENGTH) errors.push(`must be no more than ${MAX_LENGTH} bytes`);
  if (!VALUE_PATTERN.test(value)) {
    errors.push(
      mustBe(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        ['MyValue', 'my_value', '12345'],
        `(${NAME})?`,
      ),
    );
  }
  return errors;
}

// ---------------------------------------------------------------------------------------------------

const MAX_LENGTH = 63;
const MAX_SUBDOMAIN = 253;
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const NAME_PATTERN = new RegExp(`^(?:${NAME})$`);
const VALUE_PATTERN = new RegExp(`^(?:${NAME})?$`);
const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const NAME_EXAMPLES = ['MyName', 'my.name', '123-abc'];
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const SUBDOMAIN_PATTERN = new RegExp(`^(?:${SUBDOMAIN})$`);

function subdomainErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > MAX_SUBDOMAIN) errors.push(`must be no more than ${MAX_SUBDOMAIN} bytes`);
  if (!SUBDOMAIN_PATTERN.test(value)) {
    errors.push(
      mustBe(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        ['example.com'],
        SUBDOMAIN,
      ),
    );
  }
  return errors;
}

function mustBe(rule: string, examples: readonly string[], pattern: string): string {
  const shown = examples.map((example) => `'${example}'`).join(', or ');
  return `${rule} (e.g. ${shown}, regex used for validation is '${pattern}')`;
}
