import acceptors from './acceptors.json';
import act from './act.json';
import approvals from './approvals.json';
import audit from './audit.json';
import bank from './bank.json';
import books from './books.json';
import campaigns from './campaigns.json';
import claim from './claim.json';
import content from './content.json';
import delivery from './delivery.json';
import exchange from './exchange.json';
import feedback from './feedback.json';
import frame from './frame.json';
import freezes from './freezes.json';
import hosts from './hosts.json';
import licences from './licences.json';
import list from './list.json';
import notices from './notices.json';
import operators from './operators.json';
import own_security from './own_security.json';
import payments from './payments.json';
import plans from './plans.json';
import platform from './platform.json';
import products from './products.json';
import session from './session.json';
import staff from './staff.json';
import supply from './supply.json';
import today from './today.json';
import users from './users.json';
import withdrawals from './withdrawals.json';

/** The console's texts in English, by area. */
export default {
  acceptors,
  act,
  approvals,
  audit,
  bank,
  books,
  campaigns,
  claim,
  content,
  delivery,
  exchange,
  feedback,
  frame,
  freezes,
  hosts,
  licences,
  list,
  notices,
  operators,
  own_security,
  payments,
  plans,
  platform,
  products,
  session,
  staff,
  supply,
  today,
  users,
  withdrawals,
};
