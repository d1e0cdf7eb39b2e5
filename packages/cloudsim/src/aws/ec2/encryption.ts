/** Whether EC2 encrypts new volumes whatever a launch says: a setting of the account in the region. */
import type { AwsContext } from '../context.ts';
import type { Operation } from '../wire/aws-request.ts';

export function encryptionOperation({ account }: AwsContext): Operation {
  return {
    service: 'ec2',
    action: 'GetEbsEncryptionByDefault',
    handle: () => ({ EbsEncryptionByDefault: account.encryptsVolumes }),
  };
}
