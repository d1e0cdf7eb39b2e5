/**
 * Objects as a meta.k8s.io/v1 Table: what `kubectl get` asks for. The columns come with the resource;
 * this file lays out rows and decides how much of each object travels along.
 */
import type { KubeObject, ListMeta } from '@chandler/kube';
import { badRequest } from '../errors.ts';
import type { PrinterColumn, Resource } from '../resource.ts';
import { podRowConditions } from './columns/pods.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly includeObject: IncludeObject;
  /** Of the list; for a single object its resourceVersion. */
  readonly listMeta: ListMeta;
  readonly nowMs: number;
  /** An event of a watch after the first one: the columns are known by then and left out. */
  readonly watch?: boolean;
  /** A bookmark of a watch: its one row carries the metadata whatever the request asked to include. */
  readonly bookmark?: boolean;
}

export function toTable(resource: Resource, objects: readonly KubeObject[], options: TableOptions): object {
  const { columns } = resource;
  const isPod = resource.group === '' && resource.kind === 'Pod';
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.listMeta,
    columnDefinitions: options.watch ? null : columns.map(columnDefinition),
    rows: objects.map((object) => {
      const conditions = isPod ? podRowConditions(object) : undefined;
      return {
        cells: columns.map((column) => column.cell(object, options.nowMs)),
        ...(conditions === undefined ? {} : { conditions }),
        object: rowObject(object, options),
      };
    }),
  };
}

/** The includeObject query parameter; empty means Metadata. */
export function parseIncludeObject(value: string | null | undefined): IncludeObject {
  if (value === null || value === undefined || value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

// ---------------------------------------------------------------------------------------------------

function columnDefinition(column: PrinterColumn): object {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description,
    priority: column.priority,
  };
}

function rowObject(object: KubeObject, options: TableOptions): object | null {
  if (options.includeObject === 'Object') return object;
  if (options.includeObject === 'None' && !options.bookmark) return null;
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
