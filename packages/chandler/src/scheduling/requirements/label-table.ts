/**
 * Numbers label keys and, per key, label values, so that sets of values are bit sets. Numbers are assigned in
 * order of first use.
 */
export class LabelTable {
  readonly #keys = new Map<string, number>();
  readonly #keyNames: string[] = [];
  readonly #values: KeyValues[] = [];

  get keyCount(): number {
    return this.#keyNames.length;
  }

  key(name: string): number {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const id = this.#keyNames.length;
    this.#keys.set(name, id);
    this.#keyNames.push(name);
    this.#values.push({ ids: new Map(), names: [], integers: [] });
    return id;
  }

  /** The key's number, if it has one. */
  findKey(name: string): number | undefined {
    return this.#keys.get(name);
  }

  keyName(key: number): string {
    return this.#keyNames[key]!;
  }

  value(key: number, name: string): number {
    const values = this.#values[key]!;
    const known = values.ids.get(name);
    if (known !== undefined) return known;
    const id = values.names.length;
    values.ids.set(name, id);
    values.names.push(name);
    values.integers.push(parseInteger(name));
    return id;
  }

  findValue(key: number, name: string): number | undefined {
    return this.#values[key]!.ids.get(name);
  }

  valueName(key: number, value: number): string {
    return this.#values[key]!.names[value]!;
  }

  valueCount(key: number): number {
    return this.#values[key]!.names.length;
  }

  /** The value as an integer; NaN when it is not an integer. */
  integer(key: number, value: number): number {
    return this.#values[key]!.integers[value]!;
  }
}

/** As Go reads an integer of 64 bits: a sign and digits, nothing else. */
export function parseInteger(text: string): number {
  if (!/^[+-]?[0-9]{1,19}$/.test(text)) return Number.NaN;
  const value = Number(text);
  return Math.abs(value) <= MAX_INTEGER ? value : Number.NaN;
}

export const MAX_INTEGER: number = 2 ** 63;

interface KeyValues {
  readonly ids: Map<string, number>;
  readonly names: string[];
  readonly integers: number[];
}
