/** The taints that a node registers with, and how a kubelet reads them from its command line. */
import { sameTaint, type Taint, UNREGISTERED_TAINT } from '../api/index.ts';

/** All taints that the node registers with: it is unregistered until the controller has seen it. */
export function registrationTaints(
  taints: readonly Taint[],
  startupTaints: readonly Taint[],
): readonly Taint[] {
  const all = [...taints, ...startupTaints];
  const marked = all.some((taint) => sameTaint(taint, UNREGISTERED_TAINT));
  return marked ? all : [...all, UNREGISTERED_TAINT];
}

/** `key=value:Effect`, or `key:Effect`. */
export function taintText(taint: Pick<Taint, 'key' | 'value' | 'effect'>): string {
  const { key, value, effect } = taint;
  return value === undefined || value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}
