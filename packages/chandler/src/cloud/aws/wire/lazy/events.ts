/** EventBridge, loaded on first use as the SDK clients are: `chandler --help` must not load a signer. */
import { restJsonClient, targetCommand } from '../rest-json-client.ts';

export const Client = restJsonClient('events');
export const DescribeRuleCommand = targetCommand('AWSEvents.DescribeRule');
export const ListRuleNamesByTargetCommand = targetCommand('AWSEvents.ListRuleNamesByTarget');
