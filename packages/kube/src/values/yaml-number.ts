/**
 * Which plain texts of YAML are numbers for the parser of Kubernetes (go-yaml v2 below sigs.k8s.io/yaml): `0o644`, `0755`,
 * `0X1F`, `1_000` and `1.` are, `e2`, `.`, `0x_` and numbers beyond the range of a double are not.
 */

const EXPONENT = '(?:[eE]_*[-+]?[0-9_]+)?';

/** All that is a number, and few texts that are none: what looks like a number is written in quotes. */
export const MAYBE_NUMBER: RegExp = new RegExp(
  `^(?:[-+]?_*(?:${[
    '0_*[xX][0-9a-fA-F_]+',
    '0_*[bB]_*[-+]?[01_]+',
    '0_*[oO][0-7_]+',
    String.raw`[0-9][0-9_]*(?:\.[0-9_]*)?${EXPONENT}`,
    String.raw`\.[0-9_]+${EXPONENT}`,
  ].join('|')}))$`,
);

/** Undefined: a text. */
export function yamlNumber(text: string): number | undefined {
  if (text.startsWith('.')) return FRACTION.test(text) ? double(withoutUnderscores(text)) : undefined;
  if (!/^[-+0-9]/.test(text)) return undefined;
  const plain = withoutUnderscores(text);
  return integer(plain) ?? (DECIMAL.test(plain) ? double(plain) : undefined) ?? signedBinary(plain);
}

// ---------------------------------------------------------------------------------------------------

/** Without a digit before the point, underscores only separate digits. */
const FRACTION = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
const DECIMAL = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** The digits of each base. A number with a leading zero that is not octal, such as 08, is decimal. */
const INTEGERS: readonly (readonly [form: RegExp, prefix: string])[] = [
  [/^([-+]?)0[xX]([0-9a-fA-F]+)$/, '0x'],
  [/^([-+]?)0[bB]([01]+)$/, '0b'],
  [/^([-+]?)0[oO]?([0-7]+)$/, '0o'],
  [/^([-+]?)(0|[1-9][0-9]*)$/, ''],
];

const MAX_SIGNED = 2n ** 63n - 1n;
const MAX_UNSIGNED = 2n ** 64n - 1n;

/** Of 64 bits. A larger one is read as a decimal, or is a text. */
function integer(plain: string): number | undefined {
  for (const [form, prefix] of INTEGERS) {
    const [, sign, digits] = form.exec(plain) ?? [];
    if (sign === undefined || digits === undefined) continue;
    const size = BigInt(prefix + digits);
    const max = sign === '' ? MAX_UNSIGNED : sign === '+' ? MAX_SIGNED : MAX_SIGNED + 1n;
    return size > max ? undefined : Number(sign === '-' ? -size : size);
  }
  return undefined;
}

/** The parser takes a sign behind the prefix, too. */
function signedBinary(plain: string): number | undefined {
  const [, signed] = /^0b([-+][01]+)$/.exec(plain) ?? [];
  return signed === undefined ? undefined : integer(`${signed[0]}0b${signed.slice(1)}`);
}

function double(plain: string): number | undefined {
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

function withoutUnderscores(text: string): string {
  return text.replaceAll('_', '');
}
