/** KMS, loaded on first use as the SDK clients are: `chandler --help` must not load a signer. */
import { restJsonClient, targetCommand } from '../rest-json-client.ts';

export const Client = restJsonClient('kms');
export const DescribeKeyCommand = targetCommand('TrentService.DescribeKey');
export const GetKeyPolicyCommand = targetCommand('TrentService.GetKeyPolicy');
