/** The requirements of a claim, ready to be compared with many types and offerings. */
import { Algebra, type LabelRequirement, type Requirement } from '../../../scheduling/index.ts';
import { CloudError } from '../../index.ts';

export class ClaimRequirements {
  readonly #algebra = new Algebra();
  readonly #byKey = new Map<string, Requirement>();
  /** The same few requirements stand in many lists. */
  readonly #answers = new Map<LabelRequirement, boolean>();

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
    return labels.every((requirement) => {
      const wanted = this.#byKey.get(requirement.key);
      if (wanted === undefined) return true;
      const known = this.#answers.get(requirement);
      if (known !== undefined) return known;
      const answer = this.#algebra.overlaps(wanted, this.#parse(requirement));
      this.#answers.set(requirement, answer);
      return answer;
    });
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

  #parse({ key, operator, values, minValues }: LabelRequirement): Requirement {
    const parsed = this.#algebra.parse(key, operator, values, minValues);
    if (!('problem' in parsed)) return parsed;
    throw new CloudError('CreateFailed', `requirement ${key} of the claim: ${parsed.problem}`, {
      reason: 'InvalidRequirement',
      advice: { retry: 'never' },
    });
  }
}
