// The people of a workspace, the operators, and the tokens of their programs.
import { type Command, type Option, PAGING } from './command.ts'

const email: Option = { kind: 'text', tells: 'where they have their mail', isPlaced: true }
const role: Option = { kind: 'text', tells: 'owner, developer or viewer', isPlaced: true }
const name: Option = { kind: 'text', tells: 'what it is for', isPlaced: true }
const expiresAt: Option = { kind: 'text', tells: 'such as 2027-01-01T00:00:00Z', otherwise: 'never', none: 'null' }
const TOKEN_COLUMNS = ['id', 'name', 'role', 'createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt']

export const peopleCommands: Command[] = [
  {
    name: 'member list',
    tells: 'Lists who belongs to a workspace',
    asks: 'GET /workspaces/{workspace}/members',
    options: PAGING,
    columns: ['id', 'email', 'name', 'role', 'lastSeenAt'],
  },
  {
    name: 'member change',
    tells: 'Gives a member another role',
    asks: 'PATCH /workspaces/{workspace}/members/{personId}',
    options: { role: { kind: 'text', tells: 'owner, developer or viewer' } },
  },
  {
    name: 'member remove',
    tells: 'Removes a member',
    asks: 'DELETE /workspaces/{workspace}/members/{personId}',
  },
  {
    name: 'member recover',
    tells: 'Makes a link to a new password; it is shown only now',
    asks: 'POST /workspaces/{workspace}/members/{personId}/recovery',
  },
  {
    name: 'member invite',
    tells: 'Makes a link to join a workspace; it is shown only now',
    asks: 'POST /workspaces/{workspace}/invitations',
    options: { email, role },
  },
  {
    name: 'invitation list',
    tells: 'Lists invitations that nobody has used yet',
    asks: 'GET /workspaces/{workspace}/invitations',
    options: PAGING,
    columns: ['id', 'email', 'role', 'createdAt', 'expiresAt'],
  },
  {
    name: 'invitation remove',
    tells: 'Takes an invitation back',
    asks: 'DELETE /workspaces/{workspace}/invitations/{invitationId}',
  },
  {
    name: 'owner-token create',
    tells: 'Makes a token for a program of a workspace; it is shown only now',
    asks: 'POST /workspaces/{workspace}/owner-tokens',
    options: {
      name,
      role: { kind: 'text', tells: 'owner, developer or viewer', otherwise: 'owner' },
      'expires-at': expiresAt,
    },
  },
  {
    name: 'owner-token list',
    tells: 'Lists the tokens of a workspace, revoked ones too',
    asks: 'GET /workspaces/{workspace}/owner-tokens',
    options: PAGING,
    columns: TOKEN_COLUMNS,
  },
  {
    name: 'owner-token revoke',
    tells: 'Ends a token at once',
    asks: 'DELETE /workspaces/{workspace}/owner-tokens/{tokenId}',
  },
  {
    name: 'operator list',
    tells: 'Lists who operates the service',
    asks: 'GET /operators',
    options: PAGING,
    columns: ['id', 'email', 'name', 'lastSeenAt'],
  },
  { name: 'operator remove', tells: 'Removes an operator; one always stays', asks: 'DELETE /operators/{personId}' },
  {
    name: 'operator invite',
    tells: 'Makes a link that signs an operator in; it is shown only now',
    asks: 'POST /operators/invitations',
    options: { email: { kind: 'text', tells: 'for whom it is', otherwise: 'whoever has the link' } },
  },
  {
    name: 'operator-invitation list',
    tells: 'Lists invitations of operators that nobody has used yet',
    asks: 'GET /operators/invitations',
    options: PAGING,
    columns: ['id', 'email', 'createdAt', 'expiresAt'],
  },
  {
    name: 'operator-invitation remove',
    tells: 'Takes an invitation of an operator back',
    asks: 'DELETE /operators/invitations/{invitationId}',
  },
  {
    name: 'operator-token create',
    tells: 'Makes a token that may do all; it is shown only now',
    asks: 'POST /operators/tokens',
    options: { name, 'expires-at': expiresAt },
  },
  {
    name: 'operator-token list',
    tells: 'Lists the tokens of operators, revoked ones too',
    asks: 'GET /operators/tokens',
    options: PAGING,
    columns: TOKEN_COLUMNS,
  },
  { name: 'operator-token revoke', tells: 'Ends a token at once', asks: 'DELETE /operators/tokens/{tokenId}' },
  {
    name: 'person change',
    tells: 'Changes the e-mail address of anybody',
    asks: 'PATCH /people/{personId}',
    options: { email: { kind: 'text', tells: 'the new address' } },
  },
  {
    name: 'person recover',
    tells: 'Makes a link to a new password for anybody; it is shown only now',
    asks: 'POST /people/{personId}/recovery',
  },
]
