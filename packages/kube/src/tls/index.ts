export {
  CERTIFICATE_DAYS,
  type CertificateAuthority,
  type CertificateIdentity,
  createAuthority,
  DAY_MS,
  issueServingCertificate,
  peerIdentity,
  signCertificate,
} from './tls.ts';
export { loadX509 } from './x509-library.ts';
