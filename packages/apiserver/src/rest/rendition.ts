/**
 * In which form an answer is written, as the Accept header asks: the whole object, only its metadata, or rows of a
 * Table; as JSON or YAML.
 */
import { apiVersionOf, type KubeObject, type ListMeta, type World } from '@chandler/kube';
import { stringify } from 'yaml';
import { type IncludeObject, parseIncludeObject, toTable } from '../edge/table.ts';
import { ApiError } from '../errors.ts';
import type { Resource } from '../resource.ts';
import type { Stored } from '../storage/stored.ts';

export interface Rendition {
  readonly contentType: string;
  single(item: Stored): string;
  list(items: readonly Stored[], meta: ListMeta): string;
  /** The object of a watch event; `first` says whether the stream has carried one before. */
  event(item: Stored, first: boolean): string;
  bookmark(metadata: KubeObject['metadata']): string;
  /** Converts the whole body to YAML, where the request accepts YAML. */
  finish(json: string): string;
}

export interface RenditionRequest {
  readonly accept: string | undefined;
  readonly query: URLSearchParams | undefined;
  readonly resource: Resource;
  readonly world: World;
  /** Of a collection, which can also be watched: the 406 says so. */
  readonly listing: boolean;
}

/** Throws the 406. */
export function renditionFor(request: RenditionRequest): Rendition {
  const accept = request.accept ?? '';
  if (accept === '' || accept === 'application/json' || accept === '*/*') return whole(request, false);
  const ranges = rangesOf(accept);
  for (const range of ranges) {
    const rendition = fitting(range, request);
    if (rendition !== undefined) return rendition;
  }
  throw notAcceptable(ranges, request.listing);
}

// ---------------------------------------------------------------------------------------------------

/** The router rejects an unknown media type; a known one in an unsupported form is rejected later. */
function notAcceptable(ranges: readonly MediaRange[], listing: boolean): ApiError {
  if (ranges.some(({ type }) => TYPES.includes(type))) {
    return new ApiError(
      406,
      'NotAcceptable',
      `only the following media types are accepted: ${TYPES.join(', ')}`,
    );
  }
  const streams = listing
    ? ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']
    : [];
  const available = [...TYPES, ...streams].join(', ');
  return new ApiError(
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${available}`,
    {},
  );
}

const TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

interface MediaRange {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

function rangesOf(accept: string): MediaRange[] {
  const ranges = accept.split(',').map((text): MediaRange => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = Object.fromEntries(rest.map((pair) => pair.split('=', 2) as [string, string]));
    return { type, parameters, quality: Number(parameters['q'] ?? 1) };
  });
  return ranges.sort((left, right) => right.quality - left.quality);
}

function fitting(range: MediaRange, request: RenditionRequest): Rendition | undefined {
  const { type, parameters } = range;
  const yaml = type === 'application/yaml';
  if (type !== 'application/json' && type !== '*/*' && type !== 'application/*' && !yaml) return undefined;
  const as = parameters['as'];
  if (as === undefined) return whole(request, yaml);
  if (parameters['g'] !== 'meta.k8s.io' || parameters['v'] !== 'v1') return undefined;
  if (as === 'Table') return table(request, yaml);
  return as.startsWith('PartialObjectMetadata') ? metadataOnly(request, yaml) : undefined;
}

/** As a real server writes it: keys in order, lists not indented. */
const YAML_STYLE = { version: '1.1', sortMapEntries: true, indentSeq: false, lineWidth: 0 } as const;

function base(yaml: boolean): Pick<Rendition, 'contentType' | 'finish'> {
  return yaml
    ? { contentType: 'application/yaml', finish: (json) => stringify(JSON.parse(json), YAML_STYLE) }
    : { contentType: 'application/json', finish: (json) => json };
}

function whole({ resource }: RenditionRequest, yaml: boolean): Rendition {
  const apiVersion = apiVersionOf(resource.group, resource.version);
  const builtIn = resource.structure.name !== undefined;
  const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":`;
  return {
    ...base(yaml),
    single: (item) => item.as(resource).text,
    list: (items, meta) => {
      const texts = items.map((item) => (builtIn ? item.as(resource).bareText : item.as(resource).text));
      // Lists of custom resources always carry a continue, as the real ones do.
      const shown = builtIn ? meta : { continue: '', ...meta };
      return `${head}${JSON.stringify(shown)},"items":[${texts.join(',')}]}`;
    },
    event: (item) => item.as(resource).text,
    bookmark: (metadata) => JSON.stringify({ kind: resource.kind, apiVersion, metadata }),
  };
}

function metadataOnly({ resource }: RenditionRequest, yaml: boolean): Rendition {
  const apiVersion = 'meta.k8s.io/v1';
  const partial = ({ metadata }: Pick<KubeObject, 'metadata'>) => ({
    kind: 'PartialObjectMetadata',
    apiVersion,
    metadata,
  });
  const single = (item: Stored) => JSON.stringify(partial(item.as(resource).object));
  return {
    ...base(yaml),
    single,
    list: (items, meta) => {
      const head = { kind: 'PartialObjectMetadataList', apiVersion, metadata: meta };
      return JSON.stringify({ ...head, items: items.map((item) => partial(item.as(resource).object)) });
    },
    event: single,
    bookmark: (metadata) => JSON.stringify(partial({ metadata })),
  };
}

function table({ resource, query, world }: RenditionRequest, yaml: boolean): Rendition {
  const includeObject: IncludeObject = parseIncludeObject(query?.get('includeObject'));
  const rows = (
    objects: readonly KubeObject[],
    listMeta: ListMeta,
    more: { watch?: boolean; bookmark?: boolean } = {},
  ) =>
    JSON.stringify(
      toTable(resource, objects, { includeObject, listMeta, nowMs: world.clock.now(), ...more }),
    );
  const metaOf = ({ metadata }: KubeObject): ListMeta =>
    metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion };
  const single = (item: Stored) => {
    const { object } = item.as(resource);
    return rows([object], metaOf(object));
  };
  return {
    ...base(yaml),
    single,
    list: (items, meta) =>
      rows(
        items.map((item) => item.as(resource).object),
        meta,
      ),
    event: (item, first) => {
      const { object } = item.as(resource);
      return rows([object], metaOf(object), { watch: !first });
    },
    bookmark: (metadata) => {
      const object = {
        kind: resource.kind,
        apiVersion: apiVersionOf(resource.group, resource.version),
        metadata,
      };
      return rows([object], metaOf(object), { watch: true, bookmark: true });
    },
  };
}
