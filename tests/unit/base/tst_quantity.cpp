// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstQuantity final : public QObject
{
    Q_OBJECT
private slots:
    void default_isUnknownAndNeverZero();
    void zero_isKnown();
    void unknown_keepsReasonAndWord();
};

void TstQuantity::default_isUnknownAndNeverZero()
{
    const Quantity<qint64> nothing;
    QVERIFY(!nothing.isKnown());
    QCOMPARE(nothing.reason(), UnknownReason::Absent);
    QCOMPARE(nothing.valueOr(-1), -1);
    QVERIFY(nothing != Quantity<qint64>(0));
}

void TstQuantity::zero_isKnown()
{
    QVERIFY(Quantity<qint64>(0).isKnown());
}

void TstQuantity::unknown_keepsReasonAndWord()
{
    const auto lost = Quantity<double>::unknown(UnknownReason::Failed, u"[GPU is lost]"_s);
    QVERIFY(!lost.isKnown());
    QCOMPARE(nameOf(lost.reason()), u"failed"_s);
    QCOMPARE(lost.word(), u"[GPU is lost]"_s);
}

PILOTHOUSE_TEST_MAIN(TstQuantity)
#include "tst_quantity.moc"
