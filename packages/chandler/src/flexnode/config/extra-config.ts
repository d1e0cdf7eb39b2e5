/** Rules about the configuration that the operator adds to that of containerd and of the kubelet. */
import { parse, TomlError } from 'smol-toml';
import { closestName } from '../../settings/index.ts';
import type { ConfigProblem } from './config-result.ts';
import type { Draft } from './draft.ts';
import { KUBELET_FIELDS, type KubeletFields } from './kubelet-fields.table.ts';

/** The message of the parser without the excerpt that follows it: it may contain the password of a registry. */
export function tomlComplaint(error: TomlError): string {
  return error.message.split('\n')[0]!.replace('Invalid TOML document: ', '');
}

export function invalidToml(draft: Draft): ConfigProblem | undefined {
  const text = draft.text('containerd.extraConfig');
  if (text === undefined) return undefined;
  try {
    parse(text, { integersAsBigInt: 'asNeeded' });
    return undefined;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return draft.problem(
      'containerd.extraConfig',
      `invalid containerd.extraConfig: not TOML: line ${error.line} of its text: ${tomlComplaint(error)}`,
    );
  }
}

/** The kubelet ignores such a field and only logs it. */
export function unknownKubeletField(draft: Draft): ConfigProblem | undefined {
  const unknown = firstUnknown(draft.object('node.kubelet.extraConfig'), KUBELET_FIELDS, '');
  if (unknown === undefined) return undefined;
  const { path, guess } = unknown;
  return draft.problem(
    'node.kubelet.extraConfig',
    `node.kubelet.extraConfig.${path} is not a known field of KubeletConfiguration; the kubelet ignores unknown fields`,
    guess === undefined ? undefined : `did you mean ${guess}?`,
  );
}

// ---------------------------------------------------------------------------------------------------

function firstUnknown(
  given: Readonly<Record<string, unknown>>,
  known: KubeletFields,
  prefix: string,
): { readonly path: string; readonly guess: string | undefined } | undefined {
  for (const [name, value] of Object.entries(given)) {
    const field = known[name];
    if (field === undefined) {
      const guess = closestName(name, Object.keys(known));
      return { path: prefix + name, guess: guess === undefined ? undefined : prefix + guess };
    }
    if (field === true || typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const inner = firstUnknown(value as Record<string, unknown>, field, `${prefix}${name}.`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
