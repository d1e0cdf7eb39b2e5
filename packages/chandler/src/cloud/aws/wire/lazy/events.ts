/** Loaded on first use: `chandler --help` must not load an SDK. */
export {
  DeleteRuleCommand,
  DescribeRuleCommand,
  EventBridgeClient as Client,
  ListRuleNamesByTargetCommand,
  ListTargetsByRuleCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
