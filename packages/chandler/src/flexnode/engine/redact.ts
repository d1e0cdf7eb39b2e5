/**
 * Redacts values that look like credentials before text is printed or stored. Texts should never contain credentials; this
 * is an additional safeguard.
 */

const SHAPES: readonly (readonly [RegExp, string])[] = [
  // JSON web tokens.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '<redacted>'],
  [/\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi, '$1 <redacted>'],
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    '<redacted private key>',
  ],
  [
    /((?:client-key-data|client[-_]?secret|access[-_]?token|password|secret)["']?\s*[:=]\s*["']?)[^\s"',}]+/gi,
    '$1<redacted>',
  ],
  // In addresses: user and password, and what a query carries.
  [/(\bhttps?:\/\/)[^/\s@"']+@/g, '$1'],
  [/(\bhttps?:\/\/[^\s"'?]+)\?[^\s"']*(?:sig|token|secret|key)=[^\s"']*/gi, '$1'],
];

export function redact(text: string): string {
  return SHAPES.reduce((shown, [shape, instead]) => shown.replace(shape, instead), text);
}
