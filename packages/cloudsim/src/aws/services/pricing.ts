/** Price List: GetProducts of EC2, with the prices of the catalogue. Each product is a JSON text, as the API returns it. */
import { createHash } from 'node:crypto';
import type { OfferedType } from '../catalogue/catalogue.ts';
import type { AwsContext } from '../context.ts';
import type { Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';

export function pricingOperations(context: AwsContext): readonly Operation[] {
  return [
    {
      service: 'pricing',
      action: 'GetProducts',
      handle({ params }) {
        const {
          ServiceCode,
          Filters = [],
          MaxResults = 100,
          NextToken,
          FormatVersion = 'aws_v1',
        } = params as Params;
        if (ServiceCode !== 'AmazonEC2')
          throw awsError(
            'InvalidParameterException',
            `Input Parameters are invalid: the service code ${ServiceCode} has no products here.`,
          );
        if (FormatVersion !== 'aws_v1')
          throw awsError('InvalidParameterException', 'Invalid format version.');
        if (!Number.isInteger(MaxResults) || MaxResults < 1 || MaxResults > 100)
          throw awsError('InvalidParameterException', 'MaxResults must be between 1 and 100.');
        const products = productsOf(context).filter(({ attributes, family }) =>
          Filters.every((filter) => matches(filter, { ...attributes, productFamily: family })),
        );
        const from = NextToken === undefined ? 0 : Number(Buffer.from(NextToken, 'base64url').toString());
        if (!Number.isInteger(from))
          throw awsError('InvalidNextTokenException', 'The pagination token is invalid.');
        const page = products.slice(from, from + MaxResults);
        const next = from + page.length;
        return {
          FormatVersion: 'aws_v1',
          PriceList: page.map((product) => priceText(product, context.world.clock.now())),
          ...(next < products.length ? { NextToken: Buffer.from(String(next)).toString('base64url') } : {}),
        };
      },
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

interface Params {
  readonly ServiceCode?: string;
  readonly Filters?: readonly Filter[];
  readonly MaxResults?: number;
  readonly NextToken?: string;
  readonly FormatVersion?: string;
}

interface Filter {
  readonly Type?: string;
  readonly Field?: string;
  readonly Value?: string;
}

interface Product {
  readonly family: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly usdPerHour: number;
  readonly currency: 'USD' | 'CNY';
}

/** What a dedicated instance costs beside a shared one, about. */
const DEDICATED_SHARE = 1.065;

function productsOf({ catalogue, settings }: AwsContext): readonly Product[] {
  return catalogue.all().flatMap((type) => {
    const isMetal = type.info.BareMetal === true;
    const tenancies = isMetal ? ['Dedicated'] : ['Shared', 'Dedicated'];
    return tenancies.flatMap((tenancy) =>
      ['Linux', 'Windows'].map((system) => ({
        family: isMetal ? 'Compute Instance (bare metal)' : 'Compute Instance',
        attributes: attributesOf(settings.region, type, tenancy, system),
        usdPerHour: priceOf(type, tenancy, system, isMetal),
        currency: settings.partition === 'aws-cn' ? ('CNY' as const) : ('USD' as const),
      })),
    );
  });
}

function priceOf(type: OfferedType, tenancy: string, system: string, isMetal: boolean): number {
  const base = type.usdPerHour * (tenancy === 'Dedicated' && !isMetal ? DEDICATED_SHARE : 1);
  // Windows costs 0.046 USD for each vCPU and hour more.
  return base + (system === 'Windows' ? 0.046 * type.vCpus : 0);
}

function attributesOf(region: string, { name, info, vCpus }: OfferedType, tenancy: string, system: string) {
  return {
    servicecode: 'AmazonEC2',
    serviceCode: 'AmazonEC2',
    servicename: 'Amazon Elastic Compute Cloud',
    regionCode: region,
    locationType: 'AWS Region',
    instanceType: name,
    vcpu: String(vCpus),
    memory: `${(info.MemoryInfo?.SizeInMiB ?? 0) / 1024} GiB`,
    tenancy,
    operatingSystem: system,
    preInstalledSw: 'NA',
    capacitystatus: 'Used',
    marketoption: 'OnDemand',
    licenseModel: 'No License required',
    operation: system === 'Windows' ? 'RunInstances:0002' : 'RunInstances',
    usagetype: `BoxUsage:${name}`,
  };
}

function matches(
  { Type, Field = '', Value = '' }: Filter,
  attributes: Readonly<Record<string, string>>,
): boolean {
  if (Type !== 'TERM_MATCH')
    throw awsError('InvalidParameterException', `The filter type ${Type} is not simulated; use TERM_MATCH.`);
  const name = Object.keys(attributes).find((each) => each.toLowerCase() === Field.toLowerCase());
  if (name === undefined)
    throw awsError(
      'InvalidParameterException',
      `Input Parameters are invalid: the field ${Field} does not exist.`,
    );
  return attributes[name]!.toLowerCase() === Value.toLowerCase();
}

function priceText({ family, attributes, usdPerHour, currency }: Product, nowMs: number): string {
  const sku = createHash('sha256')
    .update(JSON.stringify(attributes))
    .digest('hex')
    .slice(0, 16)
    .toUpperCase();
  const { serviceCode: _, ...shown } = attributes as Record<string, string>;
  const term = `${sku}.JRTCKXETXF`;
  return JSON.stringify({
    product: { productFamily: family, attributes: shown, sku },
    serviceCode: 'AmazonEC2',
    terms: {
      OnDemand: {
        [term]: {
          offerTermCode: 'JRTCKXETXF',
          sku,
          effectiveDate: new Date(nowMs).toISOString().slice(0, 8).concat('01T00:00:00Z'),
          termAttributes: {},
          priceDimensions: {
            [`${term}.6YS6EN2CT7`]: {
              rateCode: `${term}.6YS6EN2CT7`,
              unit: 'Hrs',
              beginRange: '0',
              endRange: 'Inf',
              description: `${currency} ${usdPerHour.toFixed(4)} per hour`,
              appliesTo: [],
              pricePerUnit: { [currency]: usdPerHour.toFixed(10) },
            },
          },
        },
      },
    },
    version: '20261101000000',
    publicationDate: new Date(nowMs).toISOString().slice(0, 8).concat('01T00:00:00Z'),
  });
}
