/** The global-settings ConfigMap as a manifest in a file. */
import { readFileSync } from 'node:fs';
import type { SettingsData } from '../../settings/index.ts';
import { Failure } from '../verb.ts';

/** @throws {Failure} that names the file and what is wrong with it. */
export async function readSettingsFile(file: string): Promise<SettingsData> {
  let parsed: unknown;
  try {
    const { parse } = await import('yaml');
    parsed = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return dataOf(parsed, file);
}

// ---------------------------------------------------------------------------------------------------

function dataOf(parsed: unknown, file: string): SettingsData {
  const { kind, data = {} } = (parsed ?? {}) as { readonly kind?: unknown; readonly data?: unknown };
  if (kind !== 'ConfigMap' || typeof data !== 'object' || data === null) {
    throw new Failure(`${file} does not hold a ConfigMap`);
  }
  const entries = Object.entries(data);
  const wrong = entries.find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) {
    throw new Failure(`${file}: data.${wrong[0]} is not a text; put it in quotes, as Kubernetes wants it`);
  }
  return Object.fromEntries(entries) as SettingsData;
}
