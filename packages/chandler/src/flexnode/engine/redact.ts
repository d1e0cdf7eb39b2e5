/**
 * Redacts values that look like credentials before text is printed or stored. Texts should never contain credentials; this
 * is an additional safeguard.
 */
import { HIDDEN, isSecretNameInText, withoutSecrets } from '@chandler/kube';

/** After these, any value is hidden: what this agent prints has no prose behind them. */
const NAMES = 'client-key-data|client[-_]?secret|access[-_]?token|password|secret';

const SHAPES: readonly (readonly [RegExp, string])[] = [
  // JSON web tokens.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '<redacted>'],
  [/\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi, '$1 <redacted>'],
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    '<redacted private key>',
  ],
  // The value in quotes, also where they are escaped, or the word that follows.
  [
    new RegExp(
      String.raw`((?:${NAMES})\\*["']?\s*[:=]\s*)(?:(\\*["'])(?:(?!\2)(?:\\.|[^\\\n]))*(?:\2)?|(?:\\(?!\\*["'])\S?|[^\s"',}\\])+)`,
      'gi',
    ),
    '$1$2<redacted>$2',
  ],
  // In addresses: user and password, and what a query carries.
  [/(\bhttps?:\/\/)[^/\s@"']+@/g, '$1'],
  [/(\bhttps?:\/\/[^\s"'?]+)\?[^\s"']*(?:sig|token|secret|key)=[^\s"']*/gi, '$1'],
];

export function redact(text: string): string {
  // First: it knows where a value ends that has quotes of its own.
  const shown = withoutSecrets(text).replaceAll(HIDDEN, '<redacted>');
  return SHAPES.reduce((rest, [shape, instead]) => rest.replace(shape, instead), shown);
}

/** Redacts each text before it is quoted: in JSON, the quotes inside of a text are escaped. */
export function redactedJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (key, inner: unknown) => {
      if (typeof inner !== 'string') return inner;
      return isSecretNameInText(key) ? '<redacted>' : redact(inner);
    },
    indent,
  );
}
