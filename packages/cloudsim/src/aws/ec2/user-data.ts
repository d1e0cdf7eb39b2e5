/** What EC2 accepts as user data: base64, and at most 16 KB before it was encoded. */
import { ec2Error } from '../wire/errors.ts';

export const MAX_USER_DATA_BYTES = 16_384;

export function checkUserData(encoded: string | undefined): void {
  if (encoded === undefined || encoded === '') return;
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(encoded))
    throw ec2Error('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  if (Buffer.from(encoded, 'base64').length > MAX_USER_DATA_BYTES)
    throw ec2Error('InvalidUserData.Malformed', `User data is limited to ${MAX_USER_DATA_BYTES} bytes`);
}
