/** Reads the global-settings ConfigMap from a manifest file. */
import { readFileSync } from 'node:fs';
import { KUBE_YAML } from '@chandler/kube';
import { parse } from 'yaml';
import type { SettingsData } from '../../settings/index.ts';
import { Failure } from '../verb.ts';

/** @throws {Failure} that names the file and the error. */
export async function readSettingsFile(file: string): Promise<SettingsData> {
  let parsed: unknown;
  try {
    parsed = parse(readFileSync(file, 'utf8'), KUBE_YAML);
  } catch (error) {
    throw new Failure(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return dataOf(parsed, file);
}

// ---------------------------------------------------------------------------------------------------

function dataOf(parsed: unknown, file: string): SettingsData {
  const { kind, data: given } = (parsed ?? {}) as { readonly kind?: unknown; readonly data?: unknown };
  // An API server reads an empty field as absent, and an empty value as the empty text.
  const data = given ?? {};
  if (kind !== 'ConfigMap' || typeof data !== 'object') {
    throw new Failure(`${file} is not a ConfigMap manifest`);
  }
  const entries = Object.entries(data).map(([key, value]) => [key, value ?? ''] as const);
  const wrong = entries.find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) {
    throw new Failure(`${file}: data.${wrong[0]} is not a string; put the value in quotes`);
  }
  return Object.fromEntries(entries) as SettingsData;
}
