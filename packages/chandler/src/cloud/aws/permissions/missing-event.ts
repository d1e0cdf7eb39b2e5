/** The event on an EC2NodeClass that names a permission that the controller does not have. */
export const PERMISSION_MISSING = {
  reason: 'PermissionMissing',
  /** It is repeated as long as it is so, and means nothing once it is older. */
  repeatMs: 30 * 60_000,
} as const;
