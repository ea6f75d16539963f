// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/errortext.h"

#include "tests/support/testmain.h"

#include <QSet>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstErrorText : public QObject
{
    Q_OBJECT
private slots:
    void everyCode_hasItsOwnWords()
    {
        QSet<QString> whats;
        for (int i = 0; i <= static_cast<int>(ErrorCode::RefusedBySafety); ++i) {
            const ErrorText text = textOf({static_cast<ErrorCode>(i), {}, {}});
            QVERIFY(!text.word.isEmpty());
            QVERIFY2(text.word.size() <= 20, qPrintable(text.word));
            QVERIFY(!text.what.endsWith(u'.'));
            QVERIFY2(!whats.contains(text.what), qPrintable(text.what));
            whats.insert(text.what);
        }
    }

    void paragraph_whatWhyAdvice()
    {
        QCOMPARE(paragraphOf({ErrorCode::ConnectRefused, u"10.0.0.7:22 refused."_s, {}}),
                 u"The host refuses the connection. 10.0.0.7:22 refused. Is sshd running there, and on this port?"_s);
        QCOMPARE(paragraphOf({ErrorCode::LocalIo, u"No space."_s, u"Make room."_s}),
                 u"Something failed on this machine. No space. Make room."_s);
        QCOMPARE(paragraphOf({ErrorCode::HandshakeFailed, {}, {}}), u"The SSH handshake failed."_s);
    }
};

PILOTHOUSE_TEST_MAIN(TstErrorText)
#include "tst_errortext.moc"
