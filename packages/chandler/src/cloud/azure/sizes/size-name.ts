/**
 * Reads the name of an Azure VM size. The grammar is wider than the one of the documentation, on purpose: Azure names
 * new sizes before it documents them, and a name that is not understood is a size that cannot be launched. Only what
 * is no name at all is refused. What a size has (cores, memory, disks) is read from the SKU, not from its name.
 *
 * `Standard_NC24lds_xl_RTXPRO6000BSE_v6`: tier, family N, subfamily C, 24 cores, features `lds`, qualifier `xl`,
 * accelerator `RTXPRO6000BSE`, version 6.
 */

export interface Size {
  /** The name without its tier: `D4s_v5`. */
  readonly short: string;
  /** One capital: `D`. */
  readonly family: string;
  /** More capitals, or nothing: `C` of NC, `S` of DS. */
  readonly subfamily: string;
  /** The number in the name. Old sizes count sizes there, not cores. */
  readonly cpus: number;
  /** Cores that are switched on, where fewer than `cpus`: `E32-8s_v5`. */
  readonly constrainedCpus: number | undefined;
  /** One letter each: `ads`. */
  readonly features: string;
  readonly accelerator: string | undefined;
  /** `_cc_`: can host confidential child VMs. */
  readonly confidentialChild: boolean;
  /** The number between features and version that distinguishes M sizes of different memory: `M96s_2_v3`. */
  readonly variant: number | undefined;
  /** Other parts of the name, unchanged: `xl`, `NDR`, `noIB`, `flex`. */
  readonly qualifiers: readonly string[];
  /** `v5`, unchanged; nothing for the first generation. */
  readonly version: string | undefined;
  readonly promo: boolean;
}

export function parseSize(name: string): Size | undefined {
  const short = name.replace(TIER, '');
  const [head = '', ...words] = short.split('_');
  const match = HEAD.exec(head);
  if (match === null) return undefined;
  const [, family = '', subfamily = '', cpus = '', constrained, features = ''] = match;
  const rest = readWords(words);
  if (rest === undefined) return undefined;
  return {
    short,
    family,
    subfamily,
    cpus: Number(cpus),
    constrainedCpus: constrained === undefined ? undefined : Number(constrained),
    features,
    ...rest,
  };
}

/** Label `sku-series`: `D4s_v5` → `Ds_v5`, `NC24ads_A100_v4` → `NCads_v4`. */
export function seriesOf(size: Size): string {
  const version = size.version === undefined ? '' : `_${size.version}`;
  return `${size.family}${size.subfamily}${size.features}${version}`;
}

/** Label `sku-version`: the digits; 1 for names without. */
export function versionOf(size: Size): string {
  return size.version === undefined ? '1' : size.version.slice(1);
}

/** Confidential VMs: DC and EC. */
export function isConfidential(size: Size): boolean {
  return (size.family === 'D' || size.family === 'E') && size.subfamily.startsWith('C');
}

// ---------------------------------------------------------------------------------------------------------------

const TIER = /^(?:Standard|Basic)_/i;
const HEAD = /^([A-Z])([A-Z]{0,3})([0-9]{1,4})(?:-([0-9]{1,4}))?([A-Za-z]{0,8})$/;
const VERSION = /^[vV][1-9][0-9]?$/;
const ACCELERATOR = /^[A-Z]{1,8}[0-9]{1,5}[A-Z]{0,4}$/;
const VARIANT = /^[0-9]{1,3}$/;
const QUALIFIER = /^[A-Za-z][A-Za-z0-9]{0,15}$/;

type Words = Pick<Size, 'accelerator' | 'confidentialChild' | 'variant' | 'qualifiers' | 'version' | 'promo'>;

/** What follows the head, word by word; nothing when a word makes no sense or comes twice. */
function readWords(words: readonly string[]): Words | undefined {
  const single = new Map<'accelerator' | 'variant' | 'version' | 'promo' | 'cc', string>();
  const qualifiers: string[] = [];
  for (const word of words) {
    const kind = kindOf(word);
    if (kind === undefined) return undefined;
    if (kind === 'qualifier') qualifiers.push(word);
    else if (single.has(kind)) return undefined;
    else single.set(kind, word);
  }
  const variant = single.get('variant');
  return {
    accelerator: single.get('accelerator'),
    confidentialChild: single.has('cc'),
    variant: variant === undefined ? undefined : Number(variant),
    qualifiers,
    version: single.get('version'),
    promo: single.has('promo'),
  };
}

function kindOf(word: string) {
  if (VERSION.test(word)) return 'version';
  if (word === 'Promo') return 'promo';
  if (word === 'cc') return 'cc';
  if (VARIANT.test(word)) return 'variant';
  if (ACCELERATOR.test(word)) return 'accelerator';
  return QUALIFIER.test(word) ? 'qualifier' : undefined;
}
