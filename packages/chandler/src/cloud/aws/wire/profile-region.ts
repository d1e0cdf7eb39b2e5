/** The region of a profile of the AWS command line, from its two files, as the SDKs read them: the file of credentials counts first. */
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CredentialSettings } from './credentials/credential-settings.ts';

export type ProfileFiles = Pick<CredentialSettings, 'profile' | 'credentialsFile' | 'configFile'>;

export interface ProfileRegion {
  readonly region: string | undefined;
  /** Why there is none: `has no region`. */
  readonly problem?: string | undefined;
  /** Where it was found, or looked for: `the profile default in ~/.aws/config`. */
  readonly where: string;
}

export async function profileRegion(files: ProfileFiles): Promise<ProfileRegion> {
  const { credentialsFile, configFile } = files;
  const profile = files.profile === '' ? 'default' : files.profile;
  const { loadSharedConfigFiles } = await import('./lazy/shared-config.ts');
  const read = await loadSharedConfigFiles({
    ...(credentialsFile === '' ? {} : { filepath: credentialsFile }),
    ...(configFile === '' ? {} : { configFilepath: configFile }),
    ignoreCache: true,
  });
  const config = configFile === '' ? '~/.aws/config' : configFile;
  const own = read.credentialsFile[profile]?.['region'];
  if (own === undefined) {
    const region = read.configFile[profile]?.['region'];
    const where = `the profile ${profile} in ${config}`;
    if (region !== undefined) return { region, where };
    return { region, where, problem: await problemOf(files, read.configFile[profile] !== undefined) };
  }
  const credentials = credentialsFile === '' ? '~/.aws/credentials' : credentialsFile;
  return { region: own, where: `the profile ${profile} in ${credentials}` };
}

// ---------------------------------------------------------------------------------------------------------------

/** The SDK takes a file that it may not read for an empty one. */
async function problemOf({ configFile }: ProfileFiles, exists: boolean): Promise<string> {
  if (exists) return 'has no region';
  const code = await access(
    configFile === '' ? join(homedir(), '.aws', 'config') : configFile,
    constants.R_OK,
  ).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  if (code === undefined) return 'does not exist';
  return code === 'ENOENT' || code === 'ENOTDIR'
    ? 'has no region, since there is no such file'
    : `cannot be read (${code})`;
}
