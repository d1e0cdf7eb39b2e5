/** The roles that the original document assigns. */
export interface NamedRole {
  readonly id: string;
  readonly name: string;
}

/** What the document gives the node's identity on the cluster; only `security.documentMode` asks for it. */
export const DOCUMENT_ROLES: readonly NamedRole[] = [
  { id: 'acdd72a7-3385-48ef-bd42-f606fba81ae7', name: 'Reader' },
  {
    id: 'b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b',
    name: 'Azure Kubernetes Service RBAC Cluster Admin',
  },
  {
    id: '0ab0b1a8-8aac-4efd-b8c2-3ee1fb270be8',
    name: 'Azure Kubernetes Service Cluster Admin Role',
  },
];
