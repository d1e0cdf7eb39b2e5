/**
 * The rules of a Linux VM's `osProfile`: host name, admin user, SSH keys, custom data.
 */
import { booleanAt, type Json, objectAt, objectsAt, requireText, textAt } from '../store/body.ts';
import { invalidParameter } from '../wire/errors.ts';

export interface DesiredOsProfile {
  readonly computerName: string;
  readonly adminUsername: string;
  /** Base64, as sent. */
  readonly customData: string | undefined;
}

export function checkOsProfile(profile: Json, vmName: string): DesiredOsProfile {
  const computerName = textAt(profile, 'computerName', 'osProfile.computerName') ?? vmName;
  if (
    computerName === '' ||
    computerName.length > 64 ||
    /[`~!@#$%^&*()=+_[\]{}\\|;:'",<>/?\s]/.test(computerName)
  )
    throw invalidParameter(
      'computerName',
      'Linux host name cannot exceed 64 characters in length or contain the following characters: ` ~ ! @ # $ % ^ & * ( ) = + _ [ ] { } \\ | ; : \' " , < > / ?.',
    );
  const adminUsername = requireText(profile, 'adminUsername', 'osProfile.adminUsername');
  if (
    adminUsername.length > 64 ||
    FORBIDDEN_USERS.has(adminUsername.toLowerCase()) ||
    /[\s"/\\[\]:;|=,+*?<>@]/.test(adminUsername)
  )
    throw invalidParameter(
      'adminUsername',
      'The Admin Username specified is not allowed. For more information about disallowed usernames, see https://aka.ms/vmosprofile',
    );
  checkLogin(profile, adminUsername);
  return {
    computerName,
    adminUsername,
    customData: checkCustomData(textAt(profile, 'customData', 'osProfile.customData')),
  };
}

// ---------------------------------------------------------------------------------------------------

const FORBIDDEN_USERS: ReadonlySet<string> = new Set([
  'administrator',
  'admin',
  'user',
  'user1',
  'test',
  'user2',
  'test1',
  'user3',
  'admin1',
  '1',
  '123',
  'a',
  'actuser',
  'adm',
  'admin2',
  'aspnet',
  'backup',
  'console',
  'david',
  'guest',
  'john',
  'owner',
  'root',
  'server',
  'sql',
  'support',
  'support_388945a0',
  'sys',
  'test2',
  'test3',
  'user4',
  'user5',
]);
/** 64 KiB before encoding. */
const MAX_CUSTOM_DATA_LENGTH = 87_380;

function checkCustomData(customData: string | undefined): string | undefined {
  if (customData === undefined || customData === '') return undefined;
  if (customData.length > MAX_CUSTOM_DATA_LENGTH || !isBase64(customData))
    throw invalidParameter(
      'customData',
      `Custom data in OSProfile must be in Base64 encoding and with a maximum length of ${MAX_CUSTOM_DATA_LENGTH} characters.`,
    );
  return customData;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function checkLogin(profile: Json, user: string): void {
  const linux = objectAt(profile, 'linuxConfiguration', 'osProfile.linuxConfiguration');
  const keys = objectsAt(objectAt(linux, 'ssh'), 'publicKeys', 'linuxConfiguration.ssh.publicKeys') ?? [];
  const noPassword = booleanAt(linux, 'disablePasswordAuthentication') ?? false;
  if (noPassword && keys.length === 0)
    throw invalidParameter(
      'linuxConfiguration',
      'Authentication using SSH is required: with password authentication disabled at least one SSH public key must be given.',
    );
  if (!noPassword && textAt(profile, 'adminPassword') === undefined && keys.length === 0)
    throw invalidParameter('adminPassword', "Required parameter 'adminPassword' is missing (null).");
  for (const key of keys) checkKey(key, user);
}

function checkKey(key: Json, user: string): void {
  const path = requireText(key, 'path', 'linuxConfiguration.ssh.publicKeys.path');
  const wanted = `/home/${user}/.ssh/authorized_keys`;
  if (path !== wanted)
    throw invalidParameter(
      'linuxConfiguration.ssh.publicKeys.path',
      `Destination path for SSH public keys is currently limited to its default value '${wanted}' due to a known issue in Linux provisioning agent.`,
    );
  const data = requireText(key, 'keyData', 'linuxConfiguration.ssh.publicKeys.keyData');
  if (!/^(?:ssh-rsa|ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)) \S+/.test(data.trim()))
    throw invalidParameter(
      'linuxConfiguration.ssh.publicKeys.keyData',
      'The value of parameter linuxConfiguration.ssh.publicKeys.keyData is invalid.',
    );
}
