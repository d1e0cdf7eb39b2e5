/** The region of a profile of the AWS command line, from its two files, as the SDKs read them: the file of credentials counts first. */
import type { CredentialSettings } from './credentials/credential-settings.ts';

export type ProfileFiles = Pick<CredentialSettings, 'profile' | 'credentialsFile' | 'configFile'>;

export interface ProfileRegion {
  /** Undefined: neither file has one for the profile, or they cannot be read. */
  readonly region: string | undefined;
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
  if (own === undefined)
    return {
      region: read.configFile[profile]?.['region'],
      where: `the profile ${profile} in ${config}`,
    };
  const credentials = credentialsFile === '' ? '~/.aws/credentials' : credentialsFile;
  return { region: own, where: `the profile ${profile} in ${credentials}` };
}
