/** EventBridge: rules of the default bus and their targets. Which events they match, and which queue gets them, is decided in events.ts. */
import type { AwsContext } from '../context.ts';
import { requestTags } from '../iam/rights.ts';
import { mergedTags } from '../store/account.ts';
import { type EventPattern, PatternError, parsePattern } from '../store/event-pattern.ts';
import type { EventRuleRecord, EventTarget, Tag } from '../store/records.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';

export function eventBridgeOperations(context: AwsContext): readonly Operation[] {
  return [putRule(context), ...ofRule(context), ...lists(context), ...tagOperations(context)];
}

// ---------------------------------------------------------------------------------------------------

const MAX_TARGETS = 5;
const DEFAULT_BUS = 'default';

function ruleArn({ settings: { partition, region, accountId } }: AwsContext, name: string): string {
  return `arn:${partition}:events:${region}:${accountId}:rule/${name}`;
}

function putRule(context: AwsContext): Operation {
  const { account } = context;
  return {
    service: 'events',
    action: 'PutRule',
    rights: ({ params }) => [
      {
        action: 'events:PutRule',
        resource: ruleArn(context, String(params['Name'])),
        context: requestTags((params['Tags'] ?? []) as readonly Tag[]),
      },
    ],
    subject: ({ params }) => ({ name: String(params['Name']) }),
    handle({ params }) {
      const name = nameIn(params, 'Name');
      checkBus(params);
      const text = params['EventPattern'];
      if (params['ScheduleExpression'] !== undefined)
        throw awsError('ValidationException', 'Rules with a schedule are not simulated.');
      if (typeof text !== 'string')
        throw awsError(
          'ValidationException',
          'Parameter(s) EventPattern or ScheduleExpression must be specified.',
        );
      const before = account.eventRules.get(name);
      const arn = ruleArn(context, name);
      account.eventRules.set(name, {
        name,
        arn,
        pattern: patternIn(text),
        patternText: text,
        state: params['State'] === 'DISABLED' ? 'DISABLED' : 'ENABLED',
        targets: before?.targets ?? new Map(),
        // Tags of an existing rule are changed with TagResource.
        tags: before?.tags ?? ((params['Tags'] ?? []) as readonly Tag[]),
        ...(typeof params['Description'] === 'string' ? { description: params['Description'] } : {}),
      });
      return { RuleArn: arn };
    },
  };
}

function ofRule(context: AwsContext): readonly Operation[] {
  const { account } = context;
  const on = (
    action: string,
    key: 'Name' | 'Rule',
    handle: (rule: EventRuleRecord | undefined, request: AwsRequest) => unknown,
  ): Operation => ({
    service: 'events',
    action,
    rights: ({ params }) => [{ action: `events:${action}`, resource: ruleArn(context, String(params[key])) }],
    subject: ({ params }) => ({ name: String(params[key]) }),
    handle(request) {
      checkBus(request.params);
      return handle(account.eventRules.get(nameIn(request.params, key)), request);
    },
  });
  return [
    on('DescribeRule', 'Name', (rule, { params }) => shownRule(required(rule, params['Name']))),
    on('PutTargets', 'Rule', (rule, { params }) =>
      putTargets(required(rule, params['Rule']), params['Targets']),
    ),
    on('ListTargetsByRule', 'Rule', (rule, { params }) => ({
      Targets: [...required(rule, params['Rule']).targets.values()],
    })),
    on('RemoveTargets', 'Rule', (rule, { params }) => {
      const { targets } = required(rule, params['Rule']);
      for (const id of (params['Ids'] ?? []) as readonly string[]) targets.delete(id);
      return { FailedEntryCount: 0, FailedEntries: [] };
    }),
    on('DeleteRule', 'Name', (rule) => {
      if (rule !== undefined && rule.targets.size > 0)
        throw awsError('ValidationException', "Rule can't be deleted since it has targets.");
      if (rule !== undefined) account.eventRules.delete(rule.name);
      return {};
    }),
  ];
}

function lists(context: AwsContext): readonly Operation[] {
  const { account } = context;
  const rules = () => [...account.eventRules.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return [
    {
      service: 'events',
      action: 'ListRules',
      rights: () => [{ action: 'events:ListRules', resource: ruleArn(context, '*') }],
      handle({ params }) {
        checkBus(params);
        const prefix = String(params['NamePrefix'] ?? '');
        const start = Number(params['NextToken'] ?? 0);
        const end = start + Number(params['Limit'] ?? 100);
        const found = rules().filter(({ name }) => name.startsWith(prefix));
        return {
          Rules: found.slice(start, end).map(shownRule),
          ...(end < found.length ? { NextToken: String(end) } : {}),
        };
      },
    },
    {
      service: 'events',
      action: 'ListRuleNamesByTarget',
      rights: () => [{ action: 'events:ListRuleNamesByTarget', resource: ruleArn(context, '*') }],
      handle: ({ params }) => ({
        RuleNames: rules()
          .filter(({ targets }) => [...targets.values()].some(({ Arn }) => Arn === params['TargetArn']))
          .map(({ name }) => name),
      }),
    },
  ];
}

function tagOperations({ account }: AwsContext): readonly Operation[] {
  const on = (action: string, handle: (rule: EventRuleRecord, request: AwsRequest) => object): Operation => ({
    service: 'events',
    action,
    rights: ({ params }) => [{ action: `events:${action}`, resource: String(params['ResourceARN']) }],
    handle(request) {
      const arn = request.params['ResourceARN'];
      const rule = [...account.eventRules.values()].find((each) => each.arn === arn);
      return handle(required(rule, arn), request);
    },
  });
  return [
    on('TagResource', (rule, { params }) => {
      rule.tags = mergedTags(rule.tags, (params['Tags'] ?? []) as readonly Tag[]);
      return {};
    }),
    on('ListTagsForResource', ({ tags }) => ({ Tags: tags })),
  ];
}

/** Targets that cannot be added are in the answer, not an error. */
function putTargets({ targets }: EventRuleRecord, given: unknown) {
  const failed: object[] = [];
  for (const target of (given ?? []) as readonly EventTarget[]) {
    const fail = (ErrorCode: string, ErrorMessage: string) =>
      failed.push({ TargetId: target.Id, ErrorCode, ErrorMessage });
    if (!/^[.\w-]{1,64}$/.test(target.Id))
      fail('ValidationException', `Target id ${target.Id} is not valid.`);
    else if (!/^arn:[\w-]+:[\w-]+:/.test(target.Arn))
      fail('ValidationException', `Provided Arn is not in correct format.`);
    else if (!targets.has(target.Id) && targets.size >= MAX_TARGETS)
      fail('LimitExceededException', `The requested resource exceeds the maximum number allowed.`);
    else targets.set(target.Id, target);
  }
  return { FailedEntryCount: failed.length, FailedEntries: failed };
}

function shownRule({ name, arn, patternText, state, description }: EventRuleRecord) {
  return {
    Name: name,
    Arn: arn,
    EventPattern: patternText,
    State: state,
    Description: description,
    EventBusName: DEFAULT_BUS,
  };
}

function required(rule: EventRuleRecord | undefined, name: unknown): EventRuleRecord {
  if (rule !== undefined) return rule;
  throw awsError(
    'ResourceNotFoundException',
    `Rule ${String(name)} does not exist on EventBus ${DEFAULT_BUS}.`,
  );
}

function nameIn(params: AwsRequest['params'], key: string): string {
  const name = params[key];
  if (typeof name === 'string' && /^[.\w-]{1,64}$/.test(name)) return name;
  throw awsError(
    'ValidationException',
    `1 validation error detected: Value '${String(name)}' at '${key.toLowerCase()}' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\.\\-_A-Za-z0-9]+`,
  );
}

function checkBus(params: AwsRequest['params']): void {
  const bus = params['EventBusName'];
  if (bus !== undefined && bus !== DEFAULT_BUS)
    throw awsError('ResourceNotFoundException', `Event bus ${String(bus)} does not exist.`);
}

function patternIn(text: string): EventPattern {
  try {
    return parsePattern(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw awsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${error.message}`);
  }
}
