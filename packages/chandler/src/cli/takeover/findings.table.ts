/** What `chandler takeover plan` can find. A blocker must be fixed, a warning be fixed or accepted, a note is for information. */
export type Severity = 'blocker' | 'warning' | 'note';

export const FINDINGS = {
  KarpenterMissing: 'blocker',
  KarpenterManaged: 'blocker',
  KarpenterAmbiguous: 'blocker',
  KarpenterTooOld: 'blocker',
  KarpenterNewer: 'warning',
  KarpenterVersionUnknown: 'warning',
  KarpenterNotRunning: 'note',
  RecordOutdated: 'note',
  ScaledByOthers: 'warning',
  ChandlerMissing: 'blocker',
  ChandlerAmbiguous: 'blocker',
  NotObserved: 'warning',
  ChandlerNotReady: 'warning',
  LeaseDiffers: 'blocker',
  LeaderElectionDisabled: 'blocker',
  LeaseHeldByAnother: 'blocker',
  NobodyLeads: 'note',
  CrdMissing: 'blocker',
  CrdVersion: 'blocker',
  CrdOlder: 'warning',
  ConversionWebhook: 'blocker',
  WebhookLeftOver: 'blocker',
  WebhookOfOthers: 'note',
  WouldDrift: 'warning',
  AlreadyDrifted: 'note',
  HashesRewritten: 'note',
  ClaimsInFlight: 'note',
  OtherNodeClass: 'note',
  ClusterNameDiffers: 'blocker',
  ChandlerSettingsInvalid: 'blocker',
  SettingDiffers: 'warning',
  SettingWithoutEffect: 'warning',
  IdentityDiffers: 'warning',
  ProcessSettingDiffers: 'note',
  SettingsNotCompared: 'note',
  PermissionMissing: 'blocker',
  NotRead: 'warning',
} as const satisfies Readonly<Record<string, Severity>>;

export type FindingCode = keyof typeof FINDINGS;

export const FINDING_CODES: readonly FindingCode[] = Object.keys(FINDINGS) as FindingCode[];

export interface Finding {
  readonly code: FindingCode;
  /** What is so, on which object: a full sentence. */
  readonly message: string;
  /** What to do. Empty where nothing is to be done. */
  readonly fix: string;
}

/** Also those that `--accept` can name. */
export const ACCEPTABLE: readonly FindingCode[] = FINDING_CODES.filter(
  (code) => FINDINGS[code] === 'warning',
);
