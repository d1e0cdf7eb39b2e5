/**
 * Takes out of an answer what differs from run to run, but keeps what is equal equal: the first uid seen in a case
 * becomes `uid-1` wherever it appears, so "the same object" and "another version" can still be distinguished.
 */

export class Normaliser {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(namespace: string) {
    this.#names.set(namespace, 'the-namespace');
  }

  /** A copy of the value with volatile parts named. */
  apply(value: unknown, keepManagedFields: boolean): unknown {
    this.#collect(value, '');
    return this.#rewrite(value, '', keepManagedFields);
  }

  #collect(value: unknown, key: string): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#collect(item, '');
    } else if (typeof value === 'object' && value !== null) {
      const object = value as Record<string, unknown>;
      for (const name of Object.keys(object).sort()) this.#collect(object[name], name);
      const { name, generateName } = object;
      if (typeof name === 'string' && typeof generateName === 'string' && name !== generateName) {
        this.#name(name, `${generateName}generated`);
      }
    } else if (typeof value === 'string' && value !== '' && VOLATILE.has(key)) {
      this.#name(value, VOLATILE.get(key)!);
    }
  }

  #name(value: string, kind: string): void {
    if (this.#names.has(value) || value === '0') return;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#names.set(value, `${kind}-${count}`);
  }

  #rewrite(value: unknown, key: string, keepManagedFields: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#rewrite(item, '', keepManagedFields));
    if (typeof value === 'object' && value !== null) {
      const copy: Record<string, unknown> = {};
      for (const name of Object.keys(value).sort()) {
        if ((name === 'managedFields' && !keepManagedFields) || UNCOMPARED.has(name)) continue;
        const field = (value as Record<string, unknown>)[name];
        copy[this.#text(name, '')] = this.#rewrite(
          name === 'managedFields' && Array.isArray(field) ? ofOneSecond(field) : field,
          name,
          keepManagedFields,
        );
      }
      return copy;
    }
    return typeof value === 'string' ? this.#text(value, key) : value;
  }

  #text(text: string, key: string): string {
    if (key === 'continue' || key.endsWith('.continue')) return text === '' ? text : 'continue-token';
    let result = text;
    for (const [value, name] of this.#names) {
      // A resourceVersion is a plain number: it is replaced only where a whole value equals it.
      if (/^\d+$/.test(value)) {
        if (result === value) return name;
        result = result.replace(new RegExp(`(resource ?[vV]ersion:? ?"?)${value}\\b`, 'g'), `$1${name}`);
      } else if (result.includes(value)) {
        result = result.replaceAll(value, name);
      }
    }
    return result
      .replace(TIME, 'some-time')
      .replace(CLUSTER_IP, 'some-ip')
      .replace(EVALUATION_ERROR, ': some-error evaluating rule: ')
      .replace(UNNAMED_UID, 'some-uid')
      .replace(UNNAMED_VERSION, '$1some-rv');
  }
}

/** Managers are ordered by operation and time first, those without a time before others: a case must not depend on when a second ends. */
function ofOneSecond(managedFields: readonly unknown[]): unknown[] {
  const keyOf = (entry: unknown) => {
    const { operation, time, manager } = entry as Readonly<Record<string, unknown>>;
    return `${operation} ${time === undefined ? 0 : 1} ${manager}`;
  };
  return [...managedFields].sort((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0,
  );
}

const VOLATILE: ReadonlyMap<string, string> = new Map([
  ['uid', 'uid'],
  ['resourceVersion', 'rv'],
]);

/** A hash of the storage's own, and other people's sentences. */
const UNCOMPARED: ReadonlySet<string> = new Set(['storageVersionHash', 'description']);

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const CLUSTER_IP = /\b10\.96\.\d+\.\d+\b/g;
/** Of objects that the case never saw whole; uids made up by a case begin with ones. */
const UNNAMED_UID = /\b(?!1{8})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const UNNAMED_VERSION = /(resourceVersion\\*":\\*"|ResourceVersion in record \()\d+/g;
/** The words of a CEL evaluator for what it could not evaluate. */
const EVALUATION_ERROR = /: (?:no such|type conversion|no matching)[^\]]*? evaluating rule: /g;
