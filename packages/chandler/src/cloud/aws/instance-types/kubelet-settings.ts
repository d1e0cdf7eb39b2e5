/**
 * The settings of a class's open `kubelet` map that change what a node can hold. What is not of the expected form is left
 * out here: validation of the node class reports it, and the class does not become Ready.
 */
import { isQuantity } from '@chandler/kube';

export interface KubeletSettings {
  readonly maxPods?: number;
  readonly podsPerCore?: number;
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReserved: Readonly<Record<string, string>>;
  /** `memory.available` and `nodefs.available` as they are written: a percentage or a quantity. */
  readonly evictionHard: Readonly<Record<string, string>>;
  /** What the instance type decides; `resolved-kubelet.ts` puts it into the others. Absent where there is none. */
  readonly expressions?: KubeletExpressions;
}

export interface KubeletExpressions {
  readonly maxPods?: string;
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReserved: Readonly<Record<string, string>>;
}

/** @param withExpressions whether the gate NodeClassCEL is open: without it, expressions have no effect. */
export function kubeletSettings(kubelet: object | undefined, withExpressions = false): KubeletSettings {
  const map = (kubelet ?? {}) as Readonly<Record<string, unknown>>;
  const maxPods = wholeNumber(map['maxPods']);
  const podsPerCore = wholeNumber(map['podsPerCore']);
  const expressions = withExpressions ? kubeletExpressions(map) : undefined;
  return {
    ...(expressions === undefined ? {} : { expressions }),
    ...(maxPods === undefined ? {} : { maxPods }),
    ...(podsPerCore === undefined ? {} : { podsPerCore }),
    kubeReserved: texts(map['kubeReserved'], isAmount),
    systemReserved: texts(map['systemReserved'], isAmount),
    evictionHard: texts(map['evictionHard'], (text) => isPercentage(text) || isAmount(text)),
  };
}

/** Undefined where there is none. */
export function kubeletExpressions(map: Readonly<Record<string, unknown>>): KubeletExpressions | undefined {
  const { maxPods } = map;
  const isExpression = (text: string) => !text.startsWith('-') && !isQuantity(text);
  const kubeReserved = texts(map['kubeReserved'], isExpression);
  const systemReserved = texts(map['systemReserved'], isExpression);
  const count = Object.keys(kubeReserved).length + Object.keys(systemReserved).length;
  if (typeof maxPods !== 'string' && count === 0) return undefined;
  return { ...(typeof maxPods === 'string' ? { maxPods } : {}), kubeReserved, systemReserved };
}

export function isPercentage(text: string): boolean {
  return /^\d+(\.\d+)?%$/.test(text);
}

// ---------------------------------------------------------------------------------------------------------------

function wholeNumber(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

function isAmount(text: string): boolean {
  return !text.startsWith('-') && isQuantity(text);
}

/** The entries that can be used, by name. */
function texts(value: unknown, isValid: (text: string) => boolean): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && isValid(entry[1]))
      .sort(([first], [second]) => (first < second ? -1 : 1)),
  );
}
