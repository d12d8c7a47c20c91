-- The kinds of posting beyond those of orders and deposits. A new value of an enumeration may be used only after the
-- transaction that adds it, so what is done with them follows in 0004_movements.sql.

ALTER TYPE transaction_type ADD VALUE 'withdraw';
ALTER TYPE transaction_type ADD VALUE 'withdrawal_paid';
ALTER TYPE transaction_type ADD VALUE 'withdrawal_rejected';
ALTER TYPE transaction_type ADD VALUE 'chargeback';
ALTER TYPE transaction_type ADD VALUE 'recharge_deduction';
ALTER TYPE transaction_type ADD VALUE 'membership';
ALTER TYPE transaction_type ADD VALUE 'exchange_debit';
ALTER TYPE transaction_type ADD VALUE 'exchange_return';
ALTER TYPE transaction_type ADD VALUE 'exchange_credit';
ALTER TYPE transaction_type ADD VALUE 'start_up_grant';
ALTER TYPE transaction_type ADD VALUE 'start_up_return';

ALTER TYPE ledger_account ADD VALUE 'withdrawals_clearing';
ALTER TYPE ledger_account ADD VALUE 'withdrawal_fees';
ALTER TYPE ledger_account ADD VALUE 'chargebacks';
ALTER TYPE ledger_account ADD VALUE 'membership';
ALTER TYPE ledger_account ADD VALUE 'fx_clearing';

ALTER TYPE flow_type ADD VALUE 'manual_payout';
ALTER TYPE flow_type ADD VALUE 'system_chargeback';
ALTER TYPE flow_type ADD VALUE 'virtual_recharge_deduction';
ALTER TYPE flow_type ADD VALUE 'open_membership';
ALTER TYPE flow_type ADD VALUE 'exchange';
ALTER TYPE flow_type ADD VALUE 'start_up_funds';

ALTER TYPE posting_kind ADD VALUE 'withdraw';
ALTER TYPE posting_kind ADD VALUE 'withdrawal_paid';
ALTER TYPE posting_kind ADD VALUE 'withdrawal_rejected';
ALTER TYPE posting_kind ADD VALUE 'chargeback';
ALTER TYPE posting_kind ADD VALUE 'recharge_deduction';
ALTER TYPE posting_kind ADD VALUE 'membership';
ALTER TYPE posting_kind ADD VALUE 'exchange_debit';
ALTER TYPE posting_kind ADD VALUE 'exchange_return';
ALTER TYPE posting_kind ADD VALUE 'exchange_credit';
ALTER TYPE posting_kind ADD VALUE 'start_up_grant';
ALTER TYPE posting_kind ADD VALUE 'start_up_return';

ALTER TYPE posting_outcome ADD VALUE 'amount_out_of_range';
ALTER TYPE posting_outcome ADD VALUE 'start_up_funds_not_returned';
ALTER TYPE posting_outcome ADD VALUE 'nothing_changed';
ALTER TYPE posting_outcome ADD VALUE 'unknown_withdrawal';
ALTER TYPE posting_outcome ADD VALUE 'unknown_exchange';
