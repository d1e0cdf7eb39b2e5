/** IAM: the issuers of tokens that the account trusts. Whether a token is accepted is decided in sts.ts. */
import { type AwsContext, oidcProviderArn } from '../context.ts';
import { requestTags } from '../iam/rights.ts';
import type { OidcProviderRecord, Tag } from '../store/records.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';
import { noSuchEntity, textOf } from './iam.ts';

export function oidcProviderOperations(context: AwsContext): readonly Operation[] {
  const { account, settings, world } = context;
  const on = (
    action: string,
    handle: (provider: OidcProviderRecord, request: AwsRequest) => unknown,
  ): Operation => ({
    service: 'iam',
    action,
    rights: ({ params }) => [
      { action: `iam:${action}`, resource: String(params['OpenIDConnectProviderArn']) },
    ],
    handle(request) {
      const arn = textOf(request.params, 'OpenIDConnectProviderArn');
      const provider = account.oidcProviders.get(arn);
      if (provider === undefined) throw noSuchEntity(`OpenIDConnect Provider not found for arn ${arn}`);
      return handle(provider, request);
    },
  });
  return [
    {
      service: 'iam',
      action: 'ListOpenIDConnectProviders',
      handle: () => ({
        OpenIDConnectProviderList: [...account.oidcProviders.keys()].map((Arn) => ({ Arn })),
      }),
    },
    {
      service: 'iam',
      action: 'CreateOpenIDConnectProvider',
      rights: ({ params }) => [
        {
          action: 'iam:CreateOpenIDConnectProvider',
          resource: oidcProviderArn(settings, String(params['Url'])),
          context: requestTags((params['Tags'] ?? []) as readonly Tag[]),
        },
      ],
      handle({ params }) {
        const url = textOf(params, 'Url');
        if (!/^https:\/\/[^\s?#]+$/.test(url))
          throw awsError('ValidationError', 'Invalid Open ID Connect Provider URL');
        const arn = oidcProviderArn(settings, url);
        if (account.oidcProviders.has(arn))
          throw awsError('EntityAlreadyExists', `Provider with url ${url} already exists.`, 409);
        const tags = (params['Tags'] ?? []) as readonly Tag[];
        account.oidcProviders.set(arn, {
          url,
          clientIds: (params['ClientIDList'] ?? []) as readonly string[],
          thumbprints: (params['ThumbprintList'] ?? []) as readonly string[],
          createdMs: world.clock.now(),
          tags,
        });
        return { OpenIDConnectProviderArn: arn, Tags: [...tags] };
      },
    },
    on('GetOpenIDConnectProvider', (provider) => ({
      Url: provider.url.replace(/^https:\/\//, ''),
      ClientIDList: provider.clientIds,
      ThumbprintList: provider.thumbprints,
      CreateDate: new Date(provider.createdMs),
      Tags: [...provider.tags],
    })),
    on('AddClientIDToOpenIDConnectProvider', (provider, { params }) => {
      provider.clientIds = [...new Set([...provider.clientIds, textOf(params, 'ClientID')])];
      return undefined;
    }),
    on('DeleteOpenIDConnectProvider', (_provider, { params }) => {
      account.oidcProviders.delete(textOf(params, 'OpenIDConnectProviderArn'));
      return undefined;
    }),
  ];
}
