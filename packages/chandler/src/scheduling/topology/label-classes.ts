/**
 * Classes of pods that no topology rule can distinguish: the same namespace and the same values of all labels that
 * some selector uses. Labels that no selector uses (a hash, an index, a pod name) do not split a class. Pods that are
 * being deleted are classes of their own, because spreads do not count them.
 */
export interface LabelClass {
  readonly id: number;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly terminating: boolean;
}

export class LabelClasses {
  readonly all: LabelClass[] = [];
  readonly #asked: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #byText = new Map<string, LabelClass>();

  /** @param asked the labels that some selector uses. */
  constructor(asked: Iterable<string>) {
    this.#asked = [...new Set(asked)].sort();
    this.#known = new Set(this.#asked);
  }

  knows(label: string): boolean {
    return this.#known.has(label);
  }

  of(
    namespace: string,
    labels: Readonly<Record<string, string>> | undefined,
    terminating = false,
  ): LabelClass {
    let text = terminating ? `${namespace}\nterminating` : namespace;
    if (labels !== undefined) {
      for (let index = 0; index < this.#asked.length; index++) {
        const value = labels[this.#asked[index]!];
        if (value !== undefined) text += `\n${index}=${value}`;
      }
    }
    let found = this.#byText.get(text);
    if (found === undefined) {
      const kept = this.#asked.filter((label) => labels?.[label] !== undefined);
      found = {
        id: this.all.length,
        namespace,
        labels: Object.fromEntries(kept.map((label) => [label, labels![label]!])),
        terminating,
      };
      this.#byText.set(text, found);
      this.all.push(found);
    }
    return found;
  }
}
