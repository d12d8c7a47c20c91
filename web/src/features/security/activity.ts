/** Actions with texts of their own. Others from the server get a general text. */
const ACTIONS = [
  'auth.set_user_state',
  'auth.set_user_profile',
  'auth.create_host_token',
  'auth.end_user_sessions',
  'auth.password_changed',
  'auth.email_confirmed',
  'auth.sessions_ended',
  'wallet.deposit',
  'wallet.chargeback',
  'wallet.recharge_deduction',
  'wallet.membership',
  'wallet.start_up_grant',
  'wallet.start_up_return',
  'wallet.guarantee_deposit',
  'wallet.guarantee_return',
  'wallet.withdrawal_paid',
  'wallet.withdrawal_rejected',
  'wallet.approval_requested',
  'wallet.approval_approved',
  'wallet.approval_rejected',
  'wallet.approval_expired',
  'wallet.approval_failed',
  'wallet.pay_password_set',
  'wallet.pay_password_changed',
  'wallet.pay_password_locked',
  'wallet.pay_password_reset',
  'wallet.bank_card_bound',
  'wallet.wallet_address_bound',
  'wallet.wallet_frozen',
  'wallet.wallet_unfrozen',
  'wallet.unfreeze',
  'plan.push',
  'plan.finish',
  'plan.fail',
  'plan.settle',
  'plan.settlement_requested',
  'plan.import_applied',
  'coupon.grant',
  'acceptor.issue_code',
  'acceptor.decide_exchange',
  'acceptor.ask_completion',
  'notification.create',
  'notification.feedback_close',
] as const;

type Action = (typeof ACTIONS)[number];

/** The text key of a log entry. */
export function textOfEntry(action: string, by: 'staff' | 'user') {
  const known = ACTIONS.find((each): each is Action => each === action);
  return known ? (`security.action.${known}` as const) : (`security.unknown.${by}` as const);
}
