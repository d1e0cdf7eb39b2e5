/** Quantities, URLs, semantic versions and named formats, as rules use them. */
import { isQuantity, parseQuantity, Quantity, QuantityError } from '@chandler/kube';
import { type FunctionTable, fn, method, type Overload } from '../overloads.ts';
import {
  BOOL,
  DOUBLE,
  FORMAT,
  INT,
  listOf,
  mapOf,
  optionalOf,
  QUANTITY,
  SEMVER,
  STRING,
  URL_TYPE,
} from '../types.ts';
import { CelError, Opaque, Optional, ValueList, ValueMap } from '../values.ts';
import { NAMED_FORMATS } from './named-formats.ts';
import { type GoUrl, parseRequestUrl, queryOf } from './request-url.ts';
import { compareSemver, parseSemver, type Semver } from './semver.ts';

class QuantityValue extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly quantity: Quantity;
  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }
  equals(other: Opaque): boolean {
    return other instanceof QuantityValue && other.quantity.equals(this.quantity);
  }
}

class UrlValue extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly url: GoUrl;
  readonly text: string;
  constructor(url: GoUrl, text: string) {
    super();
    this.url = url;
    this.text = text;
  }
  equals(other: Opaque): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }
}

class SemverValue extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  readonly version: Semver;
  constructor(version: Semver) {
    super();
    this.version = version;
  }
  equals(other: Opaque): boolean {
    return other instanceof SemverValue && compareSemver(this.version, other.version) === 0;
  }
}

class FormatValue extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
  equals(other: Opaque): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

export const kubernetes: FunctionTable = new Map<string, readonly Overload[]>([
  ...quantityFunctions(),
  ...urlFunctions(),
  ...semverFunctions(),
  ...formatFunctions(),
  // Shared names: quantities and versions are both compared.
  ['isGreaterThan', [...comparisons((order) => order > 0)]],
  ['isLessThan', [...comparisons((order) => order < 0)]],
  ['compareTo', [...orders()]],
]);

// ---------------------------------------------------------------------------------------------------

type Entries = [string, Overload[]][];

function comparisons(holds: (order: number) => boolean): Overload[] {
  return [
    method([QUANTITY, QUANTITY], BOOL, (x: QuantityValue, y: QuantityValue) =>
      holds(x.quantity.compare(y.quantity)),
    ),
    method([SEMVER, SEMVER], BOOL, (x: SemverValue, y: SemverValue) =>
      holds(compareSemver(x.version, y.version)),
    ),
  ];
}

function orders(): Overload[] {
  return [
    method([QUANTITY, QUANTITY], INT, (x: QuantityValue, y: QuantityValue) =>
      BigInt(x.quantity.compare(y.quantity)),
    ),
    method([SEMVER, SEMVER], INT, (x: SemverValue, y: SemverValue) =>
      BigInt(compareSemver(x.version, y.version)),
    ),
  ];
}

function quantityFunctions(): Entries {
  return [
    ['quantity', [fn([STRING], QUANTITY, toQuantity)]],
    ['isQuantity', [fn([STRING], BOOL, (text: string) => isQuantity(text))]],
    ['sign', [fn([QUANTITY], INT, (value: QuantityValue) => BigInt(value.quantity.sign()))]],
    ['asApproximateFloat', [method([QUANTITY], DOUBLE, (value: QuantityValue) => value.quantity.toNumber())]],
    [
      'asInteger',
      [
        method([QUANTITY], INT, (value: QuantityValue) => {
          if (!isWhole(value.quantity)) throw new CelError('cannot convert value to integer');
          return value.quantity.value();
        }),
      ],
    ],
    ['isInteger', [method([QUANTITY], BOOL, (value: QuantityValue) => isWhole(value.quantity))]],
    ['add', sums((one, two) => one.add(two))],
    ['sub', sums((one, two) => one.sub(two))],
  ];
}

function sums(combine: (one: Quantity, two: Quantity) => Quantity): Overload[] {
  return [
    method(
      [QUANTITY, QUANTITY],
      QUANTITY,
      (x: QuantityValue, y: QuantityValue) => new QuantityValue(combine(x.quantity, y.quantity)),
    ),
    method(
      [QUANTITY, INT],
      QUANTITY,
      (x: QuantityValue, y: bigint) => new QuantityValue(combine(x.quantity, Quantity.of(y))),
    ),
  ];
}

function toQuantity(text: string): QuantityValue {
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) throw new CelError(error.message);
    throw error;
  }
}

function isWhole(quantity: Quantity): boolean {
  const whole = quantity.nanos % 1_000_000_000n === 0n;
  return whole && BigInt.asIntN(64, quantity.value()) === quantity.value();
}

function urlFunctions(): Entries {
  return [
    ['url', [fn([STRING], URL_TYPE, toUrl)]],
    ['isURL', [fn([STRING], BOOL, (text: string) => typeof parseRequestUrl(text) !== 'string')]],
    ['getScheme', [method([URL_TYPE], STRING, ({ url }: UrlValue) => url.scheme)]],
    ['getHost', [method([URL_TYPE], STRING, ({ url }: UrlValue) => url.host)]],
    ['getHostname', [method([URL_TYPE], STRING, ({ url }: UrlValue) => url.hostname)]],
    ['getPort', [method([URL_TYPE], STRING, ({ url }: UrlValue) => url.port)]],
    ['getEscapedPath', [method([URL_TYPE], STRING, ({ url }: UrlValue) => url.path)]],
    [
      'getQuery',
      [
        method(
          [URL_TYPE],
          mapOf(STRING, listOf(STRING)),
          ({ url }: UrlValue) =>
            new ValueMap([...queryOf(url)].map(([key, values]) => [key, new ValueList(values)])),
        ),
      ],
    ],
  ];
}

function toUrl(text: string): UrlValue {
  const url = parseRequestUrl(text);
  if (typeof url === 'string') throw new CelError(`URL parse error during conversion from string: ${url}`);
  return new UrlValue(url, text);
}

function semverFunctions(): Entries {
  const part = (name: 'major' | 'minor' | 'patch') =>
    method([SEMVER], INT, ({ version }: SemverValue) => version[name]);
  return [
    [
      'semver',
      [fn([STRING], SEMVER, (text: string) => toSemver(text, false)), fn([STRING, BOOL], SEMVER, toSemver)],
    ],
    [
      'isSemver',
      [
        fn([STRING], BOOL, (text: string) => parseSemver(text, false) !== undefined),
        fn(
          [STRING, BOOL],
          BOOL,
          (text: string, normalize: boolean) => parseSemver(text, normalize) !== undefined,
        ),
      ],
    ],
    ['major', [part('major')]],
    ['minor', [part('minor')]],
    ['patch', [part('patch')]],
  ];
}

function toSemver(text: string, normalize: boolean): SemverValue {
  const version = parseSemver(text, normalize);
  if (version === undefined) throw new CelError(`Invalid Semantic Version: ${text}`);
  return new SemverValue(version);
}

function formatFunctions(): Entries {
  const constants: Entries = Object.keys(NAMED_FORMATS).map((name) => [
    `format.${name}`,
    [fn([], FORMAT, () => new FormatValue(name))],
  ]);
  return [
    ...constants,
    [
      'format.named',
      [
        fn([STRING], optionalOf(FORMAT), (name: string) =>
          Object.hasOwn(NAMED_FORMATS, name) ? new Optional(new FormatValue(name)) : Optional.NONE,
        ),
      ],
    ],
    [
      'validate',
      [
        method([FORMAT, STRING], optionalOf(listOf(STRING)), (format: FormatValue, text: string) => {
          const problems = NAMED_FORMATS[format.name]!(text);
          return problems.length === 0 ? Optional.NONE : new Optional(new ValueList(problems));
        }),
      ],
    ],
  ];
}
