/** SSM Parameter Store: GetParameter, GetParameters, GetParametersByPath. Parameters of AWS have no account in their ARN. */
import type { AwsContext } from '../context.ts';
import type { ParameterRecord } from '../store/records.ts';
import type { Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';

export function parameterOperations(context: AwsContext): readonly Operation[] {
  const { account } = context;
  const rights = (action: string, names: readonly string[]) =>
    names.map((name) => ({ action: `ssm:${action}`, resource: arnOf(context, name) }));
  return [
    {
      service: 'ssm',
      action: 'GetParameter',
      rights: ({ params }) => rights('GetParameter', [String(params['Name'] ?? '')]),
      subject: ({ params }) => ({ name: String(params['Name'] ?? '') }),
      handle({ params }) {
        const record = find(context, textOf(params['Name'], 'name'));
        if (record === undefined) throw awsError('ParameterNotFound', '');
        return { Parameter: shown(context, record) };
      },
    },
    {
      service: 'ssm',
      action: 'GetParameters',
      rights: ({ params }) => rights('GetParameters', (params['Names'] ?? []) as readonly string[]),
      handle({ params }) {
        const names = (params['Names'] ?? []) as readonly string[];
        if (names.length === 0 || names.length > 10)
          throw validation(
            `Value '[${names.join(', ')}]' at 'names' failed to satisfy constraint: Member must have length less than or equal to 10`,
          );
        const found = names.map((name) => ({ name, record: find(context, name) }));
        return {
          Parameters: found.flatMap(({ record }) => (record === undefined ? [] : [shown(context, record)])),
          InvalidParameters: found.flatMap(({ name, record }) => (record === undefined ? [name] : [])),
        };
      },
    },
    {
      service: 'ssm',
      action: 'GetParametersByPath',
      rights: ({ params }) => rights('GetParametersByPath', [String(params['Path'] ?? '')]),
      handle({ params }) {
        const path = textOf(params['Path'], 'path').replace(/\/?$/, '/');
        const {
          Recursive,
          MaxResults = 10,
          NextToken,
        } = params as {
          Recursive?: boolean;
          MaxResults?: number;
          NextToken?: string;
        };
        if (MaxResults < 1 || MaxResults > 10)
          throw validation(
            `Value '${MaxResults}' at 'maxResults' failed to satisfy constraint: Member must have value between 1 and 10`,
          );
        const records = [...account.parameters.values()]
          .filter(
            ({ name }) => name.startsWith(path) && (Recursive || !name.slice(path.length).includes('/')),
          )
          .sort((one, other) => (one.name < other.name ? -1 : 1));
        const after = NextToken === undefined ? '' : Buffer.from(NextToken, 'base64url').toString();
        const rest = records.filter(({ name }) => name > after);
        const page = rest.slice(0, MaxResults);
        return {
          Parameters: page.map((record) => shown(context, record)),
          ...(page.length < rest.length
            ? { NextToken: Buffer.from(page.at(-1)!.name).toString('base64url') }
            : {}),
        };
      },
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

/** By name, ARN, or either with `:VERSION`. */
function find({ account }: AwsContext, given: string): ParameterRecord | undefined {
  const name = given.replace(/^arn:[^/]*:parameter(?=\/)/, '');
  const [, base = name, version] = /^(.*?)(?::(\d+))?$/.exec(name) ?? [];
  const record = account.parameters.get(base);
  if (record === undefined || (version !== undefined && Number(version) !== record.version)) return undefined;
  return record;
}

function shown(context: AwsContext, { name, value, version, modifiedMs }: ParameterRecord) {
  return {
    Name: name,
    Type: 'String',
    Value: value,
    Version: version,
    LastModifiedDate: new Date(modifiedMs),
    ARN: arnOf(context, name),
    DataType: /\/image_id$/.test(name) ? 'aws:ec2:image' : 'text',
  };
}

function arnOf({ settings: { partition, region, accountId } }: AwsContext, name: string): string {
  if (name.startsWith('arn:')) return name;
  const owner = name.startsWith('/aws/') ? '' : accountId;
  return `arn:${partition}:ssm:${region}:${owner}:parameter${name.startsWith('/') ? '' : '/'}${name}`;
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw validation(`Value null at '${name}' failed to satisfy constraint: Member must not be null`);
}

function validation(detail: string) {
  return awsError('ValidationException', `1 validation error detected: ${detail}`);
}
