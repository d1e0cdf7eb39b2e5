/** The flag --observe in the container of Chandler's Deployment: whether it is set, and the containers with or without it. */
import type { Container } from '@chandler/kube';

export const OBSERVE_FLAG = '--observe';

/** The controller is the first container. */
export function observes(containers: readonly Container[]): boolean {
  return wordsOf(containers[0]).reduce((set, word) => (isFlag(word) ? !isFalse(word) : set), false);
}

export function withObserve(containers: readonly Container[], observe: boolean): readonly Container[] {
  if (observes(containers) === observe) return containers;
  const [controller, ...others] = containers;
  if (controller === undefined) return containers;
  const { command } = controller as { readonly command?: readonly string[] };
  const kept = (words: readonly string[] | undefined) => words?.filter((word) => !isFlag(word));
  return [
    {
      ...controller,
      ...(command === undefined ? {} : { command: kept(command) }),
      args: [...(kept(controller.args) ?? []), ...(observe ? [OBSERVE_FLAG] : [])],
    },
    ...others,
  ];
}

// ---------------------------------------------------------------------------------------------------

function wordsOf(container: Container | undefined): readonly string[] {
  const { command = [] } = (container ?? {}) as { readonly command?: readonly string[] };
  return [...command, ...(container?.args ?? [])];
}

function isFlag(word: string): boolean {
  return word === OBSERVE_FLAG || word.startsWith(`${OBSERVE_FLAG}=`);
}

function isFalse(word: string): boolean {
  return word === `${OBSERVE_FLAG}=false`;
}
