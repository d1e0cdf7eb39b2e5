/**
 * Every cloud that the product knows, one row each: the only shared file that does. A cloud is loaded when it is asked
 * for, so that a process loads one.
 */
import type { CloudOptions, CloudProvider } from './index.ts';

interface CloudRow {
  provider(): Promise<CloudProvider>;
  /** The provider's options alone: help and completion need no more, and load no SDK. */
  options(): Promise<CloudOptions>;
}

const CLOUDS = {
  azure: {
    provider: async () => (await import('./azure/index.ts')).azureProvider,
    options: async () => (await import('./azure/options/index.ts')).azureOptions,
  },
} satisfies Record<string, CloudRow>;

export type CloudName = keyof typeof CLOUDS;

/** The cloud of a process that names none. */
export const DEFAULT_CLOUD: CloudName = 'azure';

export function loadCloud(name: CloudName = DEFAULT_CLOUD): Promise<CloudProvider> {
  return CLOUDS[name].provider();
}

export function loadCloudOptions(name: CloudName = DEFAULT_CLOUD): Promise<CloudOptions> {
  return CLOUDS[name].options();
}
