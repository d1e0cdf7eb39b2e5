/** The requirements of a claim, ready to be compared with many types and offerings. */
import { Algebra, type LabelRequirement, type Requirement } from '../../../scheduling/index.ts';
import { CloudError } from '../../index.ts';

export class ClaimRequirements {
  readonly #algebra = new Algebra();
  readonly #byKey = new Map<string, Requirement>();
  /** A few lists serve all offerings of a region. */
  readonly #lists = new Map<readonly LabelRequirement[], boolean>();

  /** @throws {CloudError} for a requirement that is none. */
  constructor(requirements: readonly LabelRequirement[]) {
    for (const requirement of requirements) {
      const parsed = this.#parse(requirement);
      const known = this.#byKey.get(requirement.key);
      this.#byKey.set(requirement.key, known === undefined ? parsed : this.#algebra.meet(known, parsed));
    }
  }

  /** Whether something with these labels suits the claim. Labels that the claim does not name are not compared. */
  allows(labels: readonly LabelRequirement[]): boolean {
    const known = this.#lists.get(labels);
    if (known !== undefined) return known;
    const answer = this.#allowsAll(labels);
    this.#lists.set(labels, answer);
    return answer;
  }

  allowsValue(key: string, value: string): boolean {
    const wanted = this.#byKey.get(key);
    return wanted === undefined || this.#algebra.has(wanted, this.#algebra.labels.value(wanted.key, value));
  }

  /** The values that the claim lists for the label; none where it lists what it does not want. */
  listed(key: string): readonly string[] {
    const wanted = this.#byKey.get(key);
    return wanted === undefined || wanted.complement ? [] : this.#algebra.valueNames(wanted);
  }

  /** How many values of a label the claim must keep, by label. */
  get minValues(): ReadonlyMap<string, number> {
    const found = [...this.#byKey].flatMap(([key, { minValues }]) =>
      minValues === null ? [] : [[key, minValues] as const],
    );
    return new Map(found);
  }

  #allowsAll(labels: readonly LabelRequirement[]): boolean {
    for (const requirement of labels) {
      const wanted = this.#byKey.get(requirement.key);
      if (wanted === undefined) continue;
      const { operator, values } = requirement;
      // Nearly all labels are lists of values: looking these up is quicker than combining two sets.
      const allowed =
        operator === 'In' && values !== undefined && values.length > 0
          ? values.some((value) => this.allowsValue(requirement.key, value))
          : this.#algebra.overlaps(wanted, this.#parse(requirement));
      if (!allowed) return false;
    }
    return true;
  }

  #parse({ key, operator, values, minValues }: LabelRequirement): Requirement {
    const parsed = this.#algebra.parse(key, operator, values, minValues);
    if (!('problem' in parsed)) return parsed;
    throw new CloudError('CreateFailed', `requirement ${key} of the claim: ${parsed.problem}`, {
      reason: 'InvalidRequirement',
      advice: { retry: 'never' },
    });
  }
}
