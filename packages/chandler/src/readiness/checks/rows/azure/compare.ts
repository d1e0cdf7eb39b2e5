/** How checks of AKS compare an option of the Helm values with what the cluster has. */

import type { HelmOption } from '../../../azure/helm-options.ts';
import { optionOf } from '../../../azure/helm-options.ts';
import type { Scene } from '../../../azure/scenes.ts';
import { type Answer, hasSymbol, sameText } from '../../../azure/symbols.ts';
import { placeholderIn } from '../../../facts/placeholder.ts';
import type { Evidence, InputKind, Judgement } from '../../../model/finding.ts';
import { fail, pass, skip } from '../../judgements.ts';

export const INFRASTRUCTURE: readonly InputKind[] = ['terraform', 'plan', 'state', 'cloud'];

/** What the option is compared with. */
export interface Expected {
  /** Undefined: not known. */
  readonly text?: string | undefined;
  readonly evidence: readonly Evidence[];
}

export interface OptionCheck {
  readonly names: readonly [string, ...string[]];
  /** What an absent option means; undefined where there is nothing to say about it. */
  absent(option: HelmOption): Judgement | undefined;
  /** Undefined: the picture has nothing to compare with. */
  expected(scene: Scene): Expected | undefined;
  same?(text: string, expected: string): Answer;
  /** The end of "…, and the option is x". */
  otherwise(expected: string, text: string): string;
  /** @returns what is wrong with the text by itself. */
  problem?(text: string): string | undefined;
}

/** One judgement for each release. */
export function judgeOption(scene: Scene, check: OptionCheck): readonly Judgement[] {
  return scene.releases.flatMap((release) => {
    const option = optionOf(release, ...check.names);
    const { evidence } = option;
    const object = release.origin;
    if (option.state === 'absent') return check.absent(option) ?? [];
    if (option.text === undefined)
      return [
        skip(`The value of ${option.env} is not known.`, ['values', 'plan', 'state'], [evidence], { object }),
      ];
    const waiting = hasSymbol(option.text) ? undefined : placeholderIn(option.text);
    if (waiting !== undefined)
      return [fail(`The value is a placeholder (${waiting}).`, [evidence], { object })];
    const problem = hasSymbol(option.text) ? undefined : check.problem?.(option.text);
    if (problem !== undefined) return [fail(problem, [evidence], { object })];
    const expected = check.expected(scene);
    if (expected === undefined) return [];
    const all = [evidence, ...expected.evidence];
    if (expected.text === undefined)
      return [skip('What it is compared with is not known.', ['state', 'cloud'], all, { object })];
    const text = scene.picture.expand(option.text);
    const answer = (check.same ?? sameText)(text, expected.text);
    if (answer === 'yes') return [pass('Both are the same.', all, { object })];
    return [
      answer === 'no'
        ? fail(check.otherwise(expected.text, text), all, { object })
        : skip('What it is compared with is not known.', ['state', 'cloud'], all, { object }),
    ];
  });
}

/** An option without which the controller does not start. */
export function required({ env, evidence, release }: HelmOption): Judgement {
  return fail(`${env} is required, and not set.`, [evidence], { object: release.origin });
}

/** A field of the cluster. */
export function fieldOfCluster({ cluster, picture }: Scene, name: string): Expected | undefined {
  if (cluster === undefined) return undefined;
  const text = cluster.text(name);
  return { text: text === undefined ? undefined : picture.expand(text), evidence: [cluster.seen(name)] };
}
